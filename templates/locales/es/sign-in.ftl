login-title = Inicia sesión
login-for-client = para seguir conectando { $name }
login-email = Correo electrónico
login-password = Contraseña
login-submit = Iniciar sesión
login-with = Iniciar sesión con { $name }
login-signup = Crear una cuenta
login-error-wrong = Ese correo y esa contraseña no encajan. Revisa los dos y vuelve a intentarlo.
login-error-throttled = Demasiados intentos. Espera unos minutos y vuelve a intentarlo.
login-error-stale = Esta página llevaba demasiado tiempo abierta. No ha cambiado nada: envíala otra vez.
login-error-provider = No se pudo iniciar sesión allí. Vuelve a intentarlo o usa otra forma.
signed-in-as = Has iniciado sesión como { $name }
use-another-account = Usar otra cuenta

logout-title = ¿Cerrar sesión?
logout-lead = Has iniciado sesión como { $name }.
logout-apps-stay = Tus apps conectadas siguen conectadas. Para terminar una conexión, ve a Apps autorizadas.
logout-submit = Cerrar sesión
