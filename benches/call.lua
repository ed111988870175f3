-- One tools/call with the bearer of $TOKEN, or with those in the file $TOKENS one after the other, again
-- and again. With $PAUSE each connection waits that many milliseconds between two calls, more or less.
wrk.method = "POST"
wrk.body = '{"jsonrpc":"2.0","id":1,"method":"' .. (os.getenv("METHOD") or "tools/call")
  .. '","params":{"name":"' .. (os.getenv("TOOL") or "list_meetings") .. '","arguments":{"limit":20,"query":"weekly"}}}'
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Accept"] = "application/json, text/event-stream"
wrk.headers["Authorization"] = "Bearer " .. (os.getenv("TOKEN") or "none")

local pause = tonumber(os.getenv("PAUSE") or "0")
if pause > 0 then
  function delay() return math.random(0, 2 * pause) end
end

local file = os.getenv("TOKENS")
if file then
  local tokens, at = {}, 0
  for own in io.lines(file) do tokens[#tokens + 1] = own end
  function request()
    at = at % #tokens + 1
    wrk.headers["Authorization"] = "Bearer " .. tokens[at]
    return wrk.format()
  end
end
