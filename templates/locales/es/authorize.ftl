authorize-title = ¿Permitir que { $client } use { $service }?
authorize-origin = Estás en { $origin }
authorize-heading = ¿Permitir que { $client } use { $service }?
authorize-heading-unverified = ¿Permitir que «{ $client }» use { $service }?
authorize-heading-repeat = ¿Conectar otra vez { $client } a { $service }?
authorize-heading-repeat-unverified = ¿Conectar otra vez «{ $client }» a { $service }?
authorize-heading-nothing = { $client } aún no puede usar { $service }
authorize-heading-nothing-unverified = «{ $client }» aún no puede usar { $service }
authorize-first-time = Es la primera vez que conectas esta app
authorize-connected-before = Ya la conectaste { $when }

authorize-asked = Qué pide { $client }
authorize-scopes = Qué podrá hacer { $client } en { $service }
authorize-scopes-new = Qué pide { $client } ahora
authorize-scopes-already = { $count ->
    [one] 1 permiso que ya diste
   *[other] { $count } permisos que ya diste
}
authorize-scopes-again = { $count ->
    [one] 1 permiso, el mismo que antes
   *[other] { $count } permisos, los mismos que antes
}
authorize-no-scopes = { $client } no pide ningún permiso especial en { $service }.
authorize-workspace-hint = La app trabajará solo con los datos de este espacio.
authorize-term = { $days ->
    [one] El acceso dura hasta que lo quites o pase un día sin usarse, y como mucho hasta el { $date }.
   *[other] El acceso dura hasta que lo quites o pase { $days } días sin usarse, y como mucho hasta el { $date }.
}
authorize-deny = No permitir
authorize-allow = Permitir { $client }
authorize-back = No permitir y volver a { $client }
authorize-expires = Esta petición caduca a las { $time }. Después, empieza de nuevo desde { $client }.

authorize-by-account = Inicia sesión para decidir
authorize-by-account-lead = Lo verás todo otra vez antes de permitir nada.
authorize-by-token = Usa un token de acceso personal
authorize-by-token-lead = El token demuestra quién eres, solo para esta petición. No se guarda ni inicia sesión.
authorize-pat = Token de acceso personal
authorize-pat-hint = Empieza por { $prefix } y está en tus ajustes de desarrolladores.
authorize-pat-cascade = Esta app dependerá del token: si revocas el token, la app se desconecta.

authorize-nothing-plan = Tu plan no incluye { $service } para apps como { $client }. No se ha compartido nada.
authorize-nothing-scopes = Nada de lo que { $client } pide en { $service } está a tu alcance. No se ha compartido nada.
authorize-upgrade = Ver los planes

authorize-error-pat-malformed = Eso no parece un token. Cópialo otra vez, de la primera letra a la última.
authorize-error-pat-other-kind = Ese token es de otro tipo. Pega un token de acceso personal de tus ajustes de desarrolladores.
authorize-error-pat-refused = Ese token no fue aceptado. Usa otro o crea uno nuevo en tus ajustes de desarrolladores.
authorize-error-pat-throttled = Se han probado demasiados tokens. Espera unos minutos y vuelve a intentarlo.
authorize-error-nothing-chosen = Elige al menos un permiso o no permitas el acceso.
authorize-error-workspace = No eres miembro de ese espacio de trabajo. Elige otro.
authorize-error-stale = Esta página llevaba demasiado tiempo abierta. No se ha permitido nada: decide otra vez.

technical-details = Detalles técnicos
detail-client-id = ID de cliente
detail-redirect-uri = URI de redirección
detail-scope = Scope pedido
detail-scope-none = No nombra ninguno
detail-resource = Recurso
detail-pkce = Reto del código
detail-registered = Registrado

done-title-connected = Conectada
done-title-denied = Acceso no permitido
done-title-already-connected = Ya está conectada
done-title-already-denied = Ya está respondida
done-connected = { $client } ya puede usar { $service }.
done-denied = { $client } no ha recibido acceso a { $service }.
done-already-connected = Permitiste que { $client } use { $service }. Aquí no queda nada por hacer.
done-already-denied = No permitiste que { $client } use { $service }. Aquí no queda nada por hacer.
done-to-host = Te llevamos a { $host }.
done-to-loopback = Te devolvemos a la app de este ordenador.
done-to-app = Te devolvemos a la app. Puede que tu navegador pregunte si quieres abrirla.
done-return = Volver a { $name }
done-close = Puedes cerrar esta ventana.
done-close-after = Si no pasa nada, usa el botón. Después puedes cerrar esta ventana.
