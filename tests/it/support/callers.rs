//! People and their tokens, made by the command line as an operator would.

use super::site::Site;

pub const PASSWORD: &str = "correct horse battery staple";

/// A person.
#[derive(Clone, Debug)]
pub struct Person {
    pub id: String,
    pub email: String,
    pub workspace: String,
}

/// A personal access token.
#[derive(Clone, Debug)]
pub struct Pat {
    pub id: String,
    pub token: String,
}

impl Site {
    /// A person on the plan that includes the service.
    pub fn person(&self, name: &str) -> Person {
        self.person_on(name, Some("flow"))
    }

    /// A person on a plan, or on none.
    pub fn person_on(&self, name: &str, plan: Option<&str>) -> Person {
        let email = format!("{name}@example.com");
        let mut arguments = vec![
            "user",
            "create",
            "--email",
            &email,
            "--name",
            name,
            "--external-id",
            name,
            "--password-stdin",
        ];
        if let Some(plan) = plan {
            arguments.extend(["--plan", plan]);
        }
        let made = self.cli(&arguments, Some(&format!("{PASSWORD}\n")));
        let text = |key: &str| made[key].as_str().unwrap().to_owned();
        Person { id: text("id"), email: email.clone(), workspace: text("workspace") }
    }

    /// A token of a person with the scopes named; all of the brand's with none.
    pub fn pat(&self, person: &Person, scopes: &[&str]) -> Pat {
        let mut arguments =
            vec!["token", "create", "--user", &person.email, "--brand", "mico", "--name", "test"];
        for scope in scopes {
            arguments.extend(["--scope", scope]);
        }
        let made = self.cli(&arguments, None);
        let text = |key: &str| made[key].as_str().unwrap().to_owned();
        Pat { id: text("id"), token: text("token") }
    }
}
