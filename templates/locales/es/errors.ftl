error-title-expired = Esta petición ha caducado
error-title-unknown-client = No conocemos esta app
error-title-bad-redirect = La dirección de vuelta de esta app no coincide
error-title-bad-request = Esta app envió una petición que no sirve
error-title-unreadable = No se puede leer esta petición
error-title-csrf = No pudimos comprobar que esto venga de ti
error-title-forbidden = Esto no es tuyo
error-title-not-found = Aquí no hay nada
error-title-method = Esta página no se usa así
error-title-too-large = Eso es demasiado de una vez
error-title-too-many = Demasiadas peticiones
error-title-internal = Algo falló por nuestra parte
error-title-unavailable = Ahora mismo no podemos responder

error-expired = No se ha permitido nada. Vuelve a tu app y conéctala otra vez.
error-expired-client = No se ha permitido nada. Vuelve a { $client } y conéctala otra vez.
error-unknown-client = Su registro ya no está aquí o nunca se hizo. No se ha compartido nada y no te hemos enviado a ningún sitio.
error-bad-redirect-asked = Pidió
error-bad-redirect-registered = Registró
error-bad-redirect = { $client } pidió enviarte a una dirección que no registró. Puede ser un error, o alguien que se hace pasar por esta app. No se ha compartido nada y no te hemos enviado a ningún sitio.
error-bad-request = El fallo está en { $client }, no en nada que hicieras tú. No se ha compartido nada.
error-bad-request-what = Qué está mal
error-bad-request-host = El enlace de abajo lleva a { $host } y le dice a la app qué ha fallado.
error-bad-request-return = Volver a { $name }
error-unreadable = Le falta algo, o hay algo repetido o dañado. No ha cambiado nada: empieza otra vez desde tu app o desde la página anterior.
error-csrf = El formulario era demasiado antiguo o lo envió otra página. No ha cambiado nada. Vuelve atrás, recarga la página e inténtalo otra vez.
error-forbidden = Has iniciado sesión, pero esto pertenece a otra persona.
error-not-found = Puede que la dirección tenga un error, o que lo que había ya no esté.
error-method = Vuelve atrás y usa los botones de la página.
error-too-large = Lo enviado es más grande de lo que esta página acepta. No ha cambiado nada.
error-too-many = { $seconds ->
    [one] Espera un segundo y vuelve a intentarlo. No ha cambiado nada.
   *[other] Espera { $seconds } segundos y vuelve a intentarlo. No ha cambiado nada.
}
error-internal = No ha cambiado nada. Ya estamos avisados; vuelve a intentarlo dentro de un rato.
error-unavailable = No se ha perdido nada. Vuelve a intentarlo en un momento.
error-request-id = Si escribes a soporte, menciona esto: { $id }

reconnect-title = Cómo volver a conectarla
reconnect-lead = Quita la conexión antigua en tu app y créala de nuevo. Así la app se registra otra vez.
reconnect-claude = Abre Configuración → Conectores, quita este conector y añádelo otra vez.
reconnect-claude-code = Escribe `/mcp`, elige el servidor y después Clear authentication y Authenticate. Si vuelves a llegar aquí, quítalo con `claude mcp remove` y añádelo de nuevo.
reconnect-chatgpt = Abre Configuración → Apps y conectores, elimina esta app y créala otra vez.
reconnect-cursor = Abre Settings → Tools & MCP, cierra la sesión del servidor o quítalo, y conéctalo otra vez.
reconnect-vscode = Ejecuta Authentication: Remove Dynamic Authentication Providers en la paleta de comandos y reinicia el servidor en `mcp.json`.
reconnect-windsurf = Abre los servidores MCP en Settings → Cascade, quita el servidor, añádelo otra vez y actualiza.
reconnect-codex = Ejecuta `codex mcp logout NOMBRE` y después `codex mcp login NOMBRE`.
reconnect-gemini = Escribe `/mcp auth NOMBRE`. Si vuelves a llegar aquí, quita el servidor con `gemini mcp remove NOMBRE` y añádelo de nuevo.
