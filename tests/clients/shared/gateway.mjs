// Portero before an MCP server that somebody else wrote.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, launch } from "./example.mjs";
import { ownFolder } from "./support.mjs";

export const EMAIL = "ana@example.com";
export const PASSWORD = "a password of some length";

const configuration = ({ base, port, server }) => `
public_url = "${base}"
listen = "127.0.0.1:${port}"
admin_listen = "127.0.0.1:0"
languages = ["en"]

[database]
url = "sqlite://portero.db"

[brand.examiner]
name = "Examiner"
tokens = { pat = "exa_pat_", oauth = "exa_oat_", refresh = "exa_ort_" }

[[service]]
id = "examinee"
brand = "examiner"
name = "Examinee"
resource = "${base}/mcp"
accept = ["oauth", "pat"]
default = true

[service.server_info]
name = "examinee-behind-portero"
version = "1.0.0"

[service.scopes."use"]
title = { en = "Use the server" }
default = true

[[service.upstream]]
id = "server"
kind = "mcp"
url = "${server}"
# Who may use the server may use all of it.
unlisted = "default"
`;

/**
 * Starts an MCP server, by `program(port)`, and Portero before it, with a person who may use it. All of it ends with
 * this process.
 */
export const startGateway = async ({ name, program, env }) => {
  const folder = ownFolder(name);
  const [port, serverPort] = [await freePort(), await freePort()];
  const base = `http://127.0.0.1:${port}`;
  const server = `http://127.0.0.1:${serverPort}/mcp`;
  const config = join(folder, "portero.toml");
  writeFileSync(config, configuration({ base, port, server }));
  const behind = { program: program(serverPort), env: env?.(serverPort) };
  const { command, pid } = await launch(config, [behind], {
    worker: server,
    server: `${base}/.well-known/oauth-protected-resource/mcp`,
  });
  command(["user", "create", "--email", EMAIL, "--name", "Ana", "--password-stdin"], `${PASSWORD}\n`);
  const freshToken = (name) =>
    command(["token", "create", "--user", EMAIL, "--brand", "examiner", "--name", name]).token;
  return { endpoint: `${base}/mcp`, server, command, freshToken, pid };
};
