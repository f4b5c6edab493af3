import { describeAgent, rememberAgents } from './user-agent.ts';

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';
const IPAD =
  'Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const ANDROID =
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36';

describe('describeAgent', () => {
  it.each([
    ['Chrome on Windows', CHROME, 'Chrome', 'Windows', 'desktop'],
    ['Safari on an iPhone', IPHONE, 'Safari', 'iOS', 'mobile'],
    ['Safari on an iPad', IPAD, 'Safari', 'iOS', 'tablet'],
    ['Firefox on Linux', FIREFOX, 'Firefox', 'Linux', 'desktop'],
    ['Chrome on Android', ANDROID, 'Chrome', 'Android', 'mobile'],
  ])('knows %s', (_what, userAgent, browser, system, device) => {
    expect(describeAgent(userAgent)).toEqual({ isBot: false, browser, system, device });
  });

  it.each([
    ['a crawler', 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'],
    ['the preview of a messenger', 'Twitterbot/1.0'],
    ['another preview', 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)'],
    ['a command line', 'curl/8.14.1'],
    ['a monitor without a window', CHROME.replace('Chrome', 'HeadlessChrome')],
    ['what does not name itself', null],
    ['what names itself nothing', '  '],
  ])('takes %s for a bot', (_what, userAgent) => {
    expect(describeAgent(userAgent).isBot).toBe(true);
  });

  it('knows no names but those of its lists, whatever a visitor sends', () => {
    const agent = describeAgent('my-own-name/1.0 (my-own-system; my-own-device)');
    expect(agent).toMatchObject({ browser: '', system: '', device: '' });
  });

  it('reads the longest header in little time', () => {
    const began = performance.now();
    for (let round = 0; round < 10; round++) describeAgent('Mozilla/5.0 ('.repeat(1_200) + round);
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});

describe('rememberAgents', () => {
  it('says the same again and again', () => {
    const describe = rememberAgents(1);
    expect(describe(CHROME)).toEqual(describeAgent(CHROME));
    expect(describe(IPHONE)).toEqual(describeAgent(IPHONE));
    expect(describe(CHROME)).toEqual(describeAgent(CHROME));
    expect(describe(null)).toEqual(describeAgent(null));
  });
});
