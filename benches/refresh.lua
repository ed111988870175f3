-- A chain of refreshes a thread, one connection each: the next request presents what the last answer gave.
-- wrk -tN -cN -s refresh.lua URL -- CLIENT FILE, with a refresh token a line in FILE.
local threads = 0
function setup(thread)
  threads = threads + 1
  thread:set("number", threads)
end

function init(args)
  client = args[1]
  local line = 0
  for own in io.lines(args[2]) do
    line = line + 1
    if line == number then token = own end
  end
  wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"
end

function request()
  return wrk.format("POST", nil, nil, "grant_type=refresh_token&client_id=" .. client .. "&refresh_token=" .. token)
end

function response(status, _, body)
  token = body:match('"refresh_token":"([^"]+)"') or token
end
