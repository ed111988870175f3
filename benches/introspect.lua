-- Introspections of the tokens in FILE one after the other: each once, or again and again.
-- wrk -t1 -s introspect.lua URL -- AUTHORIZATION FILE once|again
function init(args)
  tokens = {}
  for own in io.lines(args[2]) do tokens[#tokens + 1] = own end
  at, once = 0, args[3] == "once"
  wrk.headers["Authorization"] = args[1]
  wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"
end

function request()
  at = at + 1
  if once and at > #tokens then
    print("all tokens are used up")
    os.exit(1)
  end
  return wrk.format("POST", nil, nil, "token=" .. tokens[(at - 1) % #tokens + 1])
end

function response(status, _, body)
  if status ~= 200 or not body:find('"active":true', 1, true) then
    print("not active: " .. status .. " " .. body)
    os.exit(1)
  end
end
