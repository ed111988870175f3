// Enhancement only: every page works without this file.
(() => {
  "use strict";
  const words = document.body.dataset;

  const button = (label, className) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = className;
    made.textContent = label;
    return made;
  };

  // A copy button exists only where it can copy.
  const addCopy = (source) => {
    const row = document.createElement("div");
    row.className = "copyable";
    source.replaceWith(row);
    const copy = button(words.copy, "copy");
    const status = document.createElement("span");
    status.className = "sr-only";
    status.setAttribute("role", "status");
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(source.textContent);
      copy.textContent = status.textContent = words.copied;
      copy.classList.add("copied");
      setTimeout(() => {
        copy.textContent = words.copy;
        status.textContent = "";
        copy.classList.remove("copied");
      }, 2000);
    });
    row.append(source, copy, status);
    return row;
  };
  if (navigator.clipboard) document.querySelectorAll("[data-copyable]").forEach(addCopy);

  // Show and hide what is typed.
  document.querySelectorAll("input[data-reveal]").forEach((input) => {
    const row = document.createElement("div");
    row.className = "reveal";
    input.replaceWith(row);
    row.append(input);
    const toggle = button(words.show, "copy");
    toggle.setAttribute("aria-controls", input.id);
    toggle.addEventListener("click", () => {
      const hidden = input.type === "password";
      input.type = hidden ? "text" : "password";
      toggle.textContent = hidden ? words.hide : words.show;
    });
    // A field left readable would be offered as form history.
    input.form.addEventListener("submit", () => { input.type = "password"; });
    row.append(toggle);
  });

  // Show and hide a secret on the page, for people who share their screen.
  document.querySelectorAll("[data-secret]").forEach((secret) => {
    const toggle = button(words.hide, "copy");
    toggle.addEventListener("click", () => {
      const veiled = secret.classList.toggle("veiled");
      if (veiled) secret.setAttribute("aria-hidden", "true");
      else secret.removeAttribute("aria-hidden");
      toggle.textContent = veiled ? words.show : words.hide;
    });
    secret.parentElement.append(toggle);
  });

  // Times are written in UTC; on hover they are also given where the reader is.
  document.querySelectorAll("time[datetime]").forEach((time) => {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) return;
    const local = at.toLocaleString(document.documentElement.lang, { dateStyle: "long", timeStyle: "short" });
    time.title = `${local} (${time.title})`;
  });
})();
