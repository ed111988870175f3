-- Introspections of the tokens in FILE, each thread from a place of its own.
-- wrk -s introspect.lua URL -- AUTHORIZATION FILE
local threads = 0
function setup(thread)
  threads = threads + 1
  thread:set("number", threads)
end

function init(args)
  tokens = {}
  for own in io.lines(args[2]) do tokens[#tokens + 1] = own end
  at = number * 7
  wrk.headers["Authorization"] = args[1]
  wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"
end

function request()
  at = at + 1
  return wrk.format("POST", nil, nil, "token=" .. tokens[at % #tokens + 1])
end

function response(status, _, body)
  if status ~= 200 or not body:find('"active":true', 1, true) then
    print("not active: " .. status .. " " .. body)
    os.exit(1)
  end
end
