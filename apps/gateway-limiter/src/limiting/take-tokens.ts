import { createHash } from 'node:crypto';

/** A script with the SHA-1 by which Redis caches it. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

/**
 * The same arithmetic as limiter-core's token-bucket.ts, operation by operation, for many requests in one atomic call.
 *
 * KEYS     the buckets of all requests in order
 * ARGV[1]  µs since 1970: run later than this, the script does nothing (its caller has given up by then)
 * ARGV[2]  one character a key, from "!" up: which of the terms
 * ARGV[3…] the terms: "1" if the key belongs to the same request as the one before, cost, window letters, and for
 *          each window capacity and tokens per µs
 *
 * A value is the time and the used tokens as doubles, then the window letters. It expires when the slowest window is
 * full, for a full bucket and no bucket are the same; the expiry is absolute, by the clock the script itself read.
 *
 * Answers the time (alone, when too late), then every key's value as it stands now, then "a" or "r" for each request.
 */
export function takeTokensScript(nowExpression = 'clock[1] * 1000000 + clock[2]'): Script {
  const text = `
local call, byte, sub, format, ceil = redis.call, string.byte, string.sub, string.format, math.ceil
local pack, unpack_doubles = struct.pack, struct.unpack
local clock = call('TIME')
local now = ${nowExpression}
if now > tonumber(ARGV[1]) then return pack('<d', now) end
local count = #KEYS

local terms = {}
local at, letter = 3, 33
while ARGV[at] do
  local layout = ARGV[at + 2]
  local cost = tonumber(ARGV[at + 1])
  local term = { joined = ARGV[at] == '1', draws = cost > 0, layout = layout, windows = #layout,
    format = '<' .. string.rep('d', #layout + 1), bytes = 9 * #layout + 8 }
  term.sealed = term.format .. 'c' .. #layout
  at = at + 3
  for w = 1, term.windows do
    local capacity = tonumber(ARGV[at])
    term[w] = { rate = tonumber(ARGV[at + 1]), draw = cost < capacity and cost or capacity, capacity = capacity }
    at = at + 2
  end
  terms[letter] = term
  letter = letter + 1
end

local function rearrange(state, value, term)
  local windows = (#value - 8) / 9
  local known = {}
  state[1] = now
  if windows >= 1 and windows % 1 == 0 then
    local doubles = { unpack_doubles('<' .. string.rep('d', windows + 1), value) }
    state[1] = doubles[1]
    for w = 1, windows do known[sub(value, w - windows - 1, w - windows - 1)] = doubles[w + 1] end
  end
  for w = 1, term.windows do state[w + 1] = known[sub(term.layout, w, w)] or 0 end
end

local function read(state, value, term)
  local windows = term.windows
  state.anchor = false
  if not value then
    for w = 1, windows do state[w + 1] = 0 end
    return
  end
  if #value ~= term.bytes or sub(value, -windows) ~= term.layout then
    rearrange(state, value, term)
  elseif windows == 3 then
    state[1], state[2], state[3], state[4] = unpack_doubles('<dddd', value)
  else
    local doubles = { unpack_doubles(term.format, value) }
    for w = 1, windows + 1 do state[w] = doubles[w] end
  end
  local elapsed = now - state[1]
  if elapsed < 0 then
    elapsed = 0
    state.anchor = true
  end
  for w = 1, windows do
    local used = state[w + 1] - elapsed * term[w].rate
    state[w + 1] = used > 0 and used or 0
  end
end

local choice = { byte(ARGV[2], 1, count) }
local stored = count > 0 and call('MGET', unpack(KEYS)) or {}
local written, changed, expiries = {}, {}, {}
local states, verdicts, scratch = {}, {}, {}
local first = 1
while first <= count do
  local last = first
  while last < count and terms[choice[last + 1]].joined do last = last + 1 end

  local admitted = true
  for k = first, last do
    local term = terms[choice[k]]
    local state = scratch[k - first]
    if not state then
      state = {}
      scratch[k - first] = state
    end
    read(state, written[KEYS[k]] or stored[k], term)
    if term.draws then
      for w = 1, term.windows do
        local window = term[w]
        if state[w + 1] + window.draw - window.capacity > 0.000001 then admitted = false end
      end
    end
  end

  for k = first, last do
    local term = terms[choice[k]]
    local state = scratch[k - first]
    local windows = term.windows
    if admitted then
      for w = 1, windows do state[w + 1] = state[w + 1] + term[w].draw end
    end
    local packed
    if windows == 3 then
      packed = pack('<ddddc3', now, state[2], state[3], state[4], term.layout)
    else
      state[windows + 2] = term.layout
      packed = pack(term.sealed, now, unpack(state, 2, windows + 2))
    end
    states[k] = packed
    if (admitted and term.draws) or state.anchor then
      local longest = 0
      for w = 1, windows do
        local full = state[w + 1] / term[w].rate
        if full > longest then longest = full end
      end
      local key = KEYS[k]
      if not written[key] then changed[#changed + 1] = key end
      written[key] = packed
      expiries[key] = format('%d', ceil((now + longest) / 1000))
    end
  end
  verdicts[#verdicts + 1] = admitted and 'a' or 'r'
  first = last + 1
end

for c = 1, #changed do
  local key = changed[c]
  call('SET', key, written[key], 'PXAT', expiries[key])
end
return pack('<d', now) .. table.concat(states) .. table.concat(verdicts)
`.trim();
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}
