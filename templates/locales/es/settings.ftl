settings-trail = Ajustes › Desarrolladores › { $mcp }
settings-trail-label = Dónde estás
settings-sections = Secciones
tab-connect = Conectar
tab-tokens = Tokens de acceso personal
tab-apps = Apps autorizadas

connect-title = Conecta una app
connect-lead = Da esta dirección a la app con la que trabajas. Te pedirá iniciar sesión y te enseñará qué podrá hacer antes de recibir nada.
connect-none = Todavía no hay nada a lo que conectarse.
connect-endpoint = Endpoint MCP
connect-make-token = crea un token de acceso personal
connect-ways-both = La mayoría de las apps inician tu sesión por sí solas. Para tu propio código, { $token }.
connect-ways-token = Este servicio funciona con tokens. Primero, { $token }.
connect-ways-sign-in = Las apps inician tu sesión por sí solas; no hay nada más que preparar.

snippet-address = Dirección que pegar
snippet-terminal = En un terminal
snippet-terminal-token = En un terminal, con un token en lugar de iniciar sesión
snippet-file = En { $file }
snippet-file-token = En { $file }, con un token en lugar de iniciar sesión

guide-own-agent = Tu propio agente
guide-claude-open = En Claude, en la web o en tu ordenador, abre Configuración → Conectores y elige Añadir conector personalizado.
guide-claude-paste = Llámalo { $name }, pega la dirección y elige Añadir.
guide-claude-connect = Elige Conectar, inicia sesión y permite el acceso.
guide-claude-code-run = Ejecuta esto en un terminal.
guide-claude-code-sign-in = En Claude Code, escribe `/mcp`, elige `{ $id }` y después Authenticate.
guide-chatgpt-open = En ChatGPT, abre Configuración → Apps y conectores → Configuración avanzada y activa el modo desarrollador.
guide-chatgpt-paste = Elige Crear, llámala { $name }, pega la dirección y escoge OAuth.
guide-chatgpt-connect = Elige Conectar, inicia sesión y permite el acceso.
guide-cursor-file = Pon esto en la configuración de Cursor, junto a los servidores que ya haya.
guide-cursor-sign-in = Abre Settings → Tools & MCP y elige Connect junto a `{ $id }`.
guide-vscode-file = Pon esto en la configuración de tu proyecto, junto a los servidores que ya haya.
guide-vscode-sign-in = Elige Start encima de la entrada y deja que VS Code abra el navegador.
guide-windsurf-file = Pon esto en la configuración de Windsurf, junto a los servidores que ya haya.
guide-windsurf-sign-in = Actualiza los servidores MCP en Cascade e inicia sesión cuando se abra el navegador.
guide-codex-run = Ejecuta esto en un terminal; el navegador se abre para que inicies sesión.
guide-gemini-run = Ejecuta esto en un terminal.
guide-gemini-sign-in = En Gemini CLI, escribe `/mcp auth { $id }`.
guide-own-agent-call = Envía cada mensaje como un POST con el token en la cabecera `Authorization`.
guide-own-agent-discover = Si prefieres que las personas inicien sesión con OAuth, sigue la cabecera `WWW-Authenticate` de una llamada sin token.

tokens-lead = Un token permite que tu propio código, o una app que no puede iniciar tu sesión, actúe en tu nombre. Trátalo como una contraseña.
tokens-new = Nuevo token
tokens-none = Todavía no tienes tokens.
tokens-revoke = Revocar { $name }
tokens-again = Volver a crear { $name }
tokens-apps = { $count ->
    [one] Hay 1 app conectada con él:
   *[other] Hay { $count } apps conectadas con él:
}
tokens-notice-value-gone = El token se creó, pero su valor se muestra una sola vez y ya no está. Si no lo copiaste, revócalo y crea otro.
tokens-notice-revoked = { $name } está revocado. No había ninguna app conectada con él.
tokens-notice-revoked-apps = { $count ->
    [one] { $name } está revocado y { $apps } se ha desconectado.
   *[other] { $name } está revocado y { $apps } se han desconectado.
}
token-created = Creado
token-ends = Termina
token-never-expires = Nunca, hasta que lo revoques
token-expired = Caducó { $when }
token-expires = Caduca { $when }

token-new-title = Nuevo token
token-new-lead = Verás el token una sola vez, justo después de crearlo.
token-name = Nombre
token-name-hint = ¿Para qué es? Por ejemplo: informe nocturno, portátil del trabajo.
token-mode = Datos
token-scopes = Qué podrá hacer en { $name }
token-expires-legend = Cuánto tiempo funciona
expiry-never = Hasta que lo revoque
expiry-days = { $days ->
    [one] 1 día, hasta el { $date }
   *[other] { $days } días, hasta el { $date }
}
expiry-custom = Hasta el día que yo elija
expiry-day = Último día
token-new-submit = Crear el token
token-error-name-missing = Ponle un nombre al token.
token-error-name-too-long = Usa un nombre de 64 caracteres como mucho.
token-error-scopes-missing = Elige al menos un permiso.
token-error-expiry-invalid = Elige un día del futuro.
token-error-expiry-too-late = { $days ->
    [one] Elige como mucho el día de mañana.
   *[other] Elige un día dentro de los próximos { $days } días.
}
token-error-workspace = No eres miembro de ese espacio de trabajo. Elige otro.
token-error-limit = Tienes tantos tokens como puede tener una persona. Revoca uno para crear otro.

token-created-title = Tu nuevo token
token-created-lead = { $name } está listo.
token-created-once = Cópialo ahora. No volverás a verlo.
token-created-value = Token
token-created-never = Funciona hasta que lo revoques.
token-created-until = Funciona hasta el { $date }, o hasta que lo revoques.
token-created-use = Úsalo con { $name }
token-created-done = Listo, ya lo he copiado

revoke-title = Revocar token
revoke-heading = ¿Revocar { $name }?
revoke-no-apps = No hay ninguna app conectada con este token. Lo que lo use directamente deja de funcionar al momento.
revoke-apps = { $count ->
    [one] Esto desconecta una app:
   *[other] Esto desconecta { $count } apps:
}
revoke-app = { $client } de { $service }, permitida { $when }
revoke-final = Tiene efecto al momento y no se puede deshacer.
revoke-submit = { $count ->
    [0] Revocar el token
    [one] Revocar el token y desconectar 1 app
   *[other] Revocar el token y desconectar { $count } apps
}

apps-lead = Estas apps pueden actuar en tu nombre. Desconecta las que ya no uses o no reconozcas.
apps-none = No hay ninguna app conectada.
apps-connections = { $count ->
    [one] 1 conexión
   *[other] { $count } conexiones
}
apps-disconnect = Desconectar { $client } de { $service }
apps-notice-disconnected = { $client } se ha desconectado de { $service }.
apps-ended = Terminadas hace poco
apps-ended-lead = Conexiones que terminaron en los últimos 90 días, y por qué.
apps-ended-line = { $client } de { $service }, { $when }

connection-allowed = Permitida
connection-ends = Termina como muy tarde
connection-where = Conectada desde
connection-token = Con el token { $token } { $hint }. Si revocas el token, esta app se desconecta.
connection-recoveries = { $count ->
    [one] La app perdió una respuesta una vez y la recuperó.
   *[other] La app perdió una respuesta { $count } veces y la recuperó.
}

end-person = La desconectaste tú.
end-client = La app devolvió su acceso.
end-token-revoked = Revocaste el token { $token }, con el que estaba conectada.
end-token-expired = Caducó el token { $token }, con el que estaba conectada.
end-reuse = Se volvió a usar una credencial antigua de esta app, así que la desconectamos. Si no lo esperabas, conéctala otra vez solo en un dispositivo de confianza.
end-leaked = Alguien avisó de que se había filtrado una credencial de esta app, así que se desconectó.
end-unused = Pasó demasiado tiempo sin usarse.
end-too-old = Llegó al tiempo máximo que puede durar una conexión.
end-client-removed = La app se retiró del servicio.
end-operator = La terminó el equipo de soporte.
end-workspace-left = Dejaste el espacio de trabajo en el que funcionaba.
end-service-removed = El servicio ya no existe.

disconnect-title = Desconectar app
disconnect-heading = ¿Desconectar { $client } de { $service }?
disconnect-lead = { $client } pierde al momento su acceso a { $service }. Puedes volver a conectarla cuando quieras.
disconnect-submit = Desconectar { $client }
