-- One tools/call with the bearer of $TOKEN.
wrk.method = "POST"
wrk.body = '{"jsonrpc":"2.0","id":1,"method":"' .. (os.getenv("METHOD") or "tools/call")
  .. '","params":{"name":"' .. (os.getenv("TOOL") or "list_meetings") .. '","arguments":{"limit":20,"query":"weekly"}}}'
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Accept"] = "application/json, text/event-stream"
wrk.headers["Authorization"] = "Bearer " .. (os.getenv("TOKEN") or "none")
