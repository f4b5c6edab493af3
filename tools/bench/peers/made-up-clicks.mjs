const AGENTS = ['120', '121', '122', '123', '124'].flatMap((version) => [
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36`,
  `Mozilla/5.0 (X11; Linux x86_64; rv:${version}.0) Gecko/20100101 Firefox/${version}.0`,
  `Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E${version} Safari/604.1`,
  `Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html) Chrome/${version}.0.0.0`,
]);

/**
 * Makes clicks as a busy installation has them: a few links take most (the k-th one a share of 1/k), visitors come from
 * 60,000 addresses with 20 browsers, every third click has no referrer. The same sequence every time but for the clock.
 */
export function clickMaker(links) {
  const upTo = [];
  let weight = 0;
  for (let rank = 1; rank <= links; rank++) {
    weight += 1 / rank;
    upTo.push(weight);
  }
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return () => {
    const wanted = random() * weight;
    let low = 0;
    for (let high = links - 1; low < high; ) {
      const middle = (low + high) >> 1;
      if (upTo[middle] < wanted) low = middle + 1;
      else high = middle;
    }
    const visitor = Math.floor(random() * 60_000);
    return {
      code: `Bn${String(low).padStart(5, '0')}`,
      timestamp: new Date(),
      ip: `198.51.${visitor >> 8}.${visitor & 255}`,
      referrer: random() < 1 / 3 ? null : `https://site${Math.floor(random() * 50)}.example/page`,
      userAgent: AGENTS[visitor % AGENTS.length],
    };
  };
}
