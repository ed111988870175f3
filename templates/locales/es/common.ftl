skip-to-content = Ir al contenido
languages = Idioma
copy = Copiar
copied = Copiado
show = Mostrar
hide = Ocultar
cancel = Cancelar
or = o
try-again = Volver a intentarlo
workspace = Espacio de trabajo
last-used = Último uso
never-used = Sin usar todavía
scopes-label = Qué puede hacer
form-errors = { $count ->
    [one] Hay una cosa que revisar:
   *[other] Hay { $count } cosas que revisar:
}

list-next = { $list }, { $name }
list-last = { $list } y { $name }

scope-read = Lectura
scope-change = Cambios
scope-delete = Borrado
mode-live = Real
mode-live-hint = Trabaja con tus datos reales.
mode-test = Prueba
mode-test-hint = Nada sale al exterior y nada se cobra.

client-verified = Verificada: { $host }
client-operator = Añadida por { $brand }
client-unverified = Sin verificar: esta app eligió su propio nombre

destination-host = Si la permites, irás a { $host }
destination-host-unicode = Si la permites, irás a { $host } (se escribe { $unicode })
destination-loopback = Si la permites, irás a una app de este ordenador ({ $host })
destination-loopback-port = Si la permites, irás a una app de este ordenador ({ $host }, puerto { $port })
destination-loopback-warning = Continúa solo si acabas de empezar esto desde una app de este ordenador.
destination-app = Si la permites, se abrirá una app de este dispositivo ({ $scheme })
destination-short-host = { $host }
destination-short-loopback = Este ordenador
destination-short-app = App ({ $scheme })

time-clock = { $time } UTC
time-date = { $day } de { $month ->
    [1] enero
    [2] febrero
    [3] marzo
    [4] abril
    [5] mayo
    [6] junio
    [7] julio
    [8] agosto
    [9] septiembre
    [10] octubre
    [11] noviembre
   *[12] diciembre
} de { $year }
time-exact = { $date }, { $clock }
time-on-date = el { $date }
time-now = ahora mismo
time-today = hoy
time-yesterday = ayer
time-tomorrow = mañana
time-minutes-ago = { $count ->
    [one] hace 1 minuto
   *[other] hace { $count } minutos
}
time-in-minutes = { $count ->
    [one] dentro de 1 minuto
   *[other] dentro de { $count } minutos
}
time-days-ago = { $count ->
    [one] hace 1 día
   *[other] hace { $count } días
}
time-in-days = { $count ->
    [one] dentro de 1 día
   *[other] dentro de { $count } días
}
