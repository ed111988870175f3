skip-to-content = Skip to content
languages = Language
copy = Copy
copied = Copied
show = Show
hide = Hide
cancel = Cancel
or = or
try-again = Try again
workspace = Workspace
last-used = Last used
never-used = Never used
scopes-label = What it may do
form-errors = { $count ->
    [one] One thing needs your attention:
   *[other] { $count } things need your attention:
}

list-next = { $list }, { $name }
list-last = { $list } and { $name }

scope-read = Read
scope-change = Change
scope-delete = Delete
mode-live = Live
mode-live-hint = Works with your real data.
mode-test = Test
mode-test-hint = Nothing leaves for the outside world and nothing is charged.

client-verified = Verified: { $host }
client-operator = Added by { $brand }
client-unverified = Unverified – this app chose its own name

destination-host = After you allow, you will be sent to { $host }
destination-host-unicode = After you allow, you will be sent to { $host } (written { $unicode })
destination-loopback = After you allow, you will be sent to an app on this computer ({ $host })
destination-loopback-port = After you allow, you will be sent to an app on this computer ({ $host }, port { $port })
destination-loopback-warning = Only continue if you started this from an app on this computer just now.
destination-app = After you allow, an app on this device will open ({ $scheme })
destination-short-host = { $host }
destination-short-loopback = This computer
destination-short-app = App ({ $scheme })

time-clock = { $time } UTC
time-date = { $day } { $month ->
    [1] January
    [2] February
    [3] March
    [4] April
    [5] May
    [6] June
    [7] July
    [8] August
    [9] September
    [10] October
    [11] November
   *[12] December
} { $year }
time-exact = { $date }, { $clock }
time-on-date = on { $date }
time-now = just now
time-today = today
time-yesterday = yesterday
time-tomorrow = tomorrow
time-minutes-ago = { $count ->
    [one] 1 minute ago
   *[other] { $count } minutes ago
}
time-in-minutes = { $count ->
    [one] in 1 minute
   *[other] in { $count } minutes
}
time-days-ago = { $count ->
    [one] 1 day ago
   *[other] { $count } days ago
}
time-in-days = { $count ->
    [one] in 1 day
   *[other] in { $count } days
}
