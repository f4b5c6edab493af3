import { startTestPlatform, type TestPlatform } from '@gatepost/platform';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { type AuthServerUnderTest, SampleApplication } from './sample-application.ts';

const MANAGEMENT_TOKEN = 'management-token-of-page-specs';
export const DEMO = { email: 'demo@example.com', password: 'correct-horse-battery' };
export const PASSWORD = 'tall green lamps';

export interface Visit {
  readonly page: Page;
  /** What the browser's console says against the pages: a fault of theirs. */
  readonly complaints: string[];
}

/** The platform as it is built, a registered application and a real browser that comes to them through the gateway. */
export class PagesUnderTest {
  private readonly open: BrowserContext[] = [];

  private constructor(
    private readonly platform: TestPlatform,
    private readonly browser: Browser,
    readonly auth: AuthServerUnderTest,
    readonly shop: SampleApplication,
  ) {}

  static async start(): Promise<PagesUnderTest> {
    const platform = await startTestPlatform({ MANAGEMENT_TOKEN });
    const auth = {
      issuer: `${platform.publicUrl}/auth`,
      managementUrl: `http://127.0.0.1:${platform.settings.ports['auth-server'].managementPort}`,
      managementToken: MANAGEMENT_TOKEN,
    };
    const shop = await SampleApplication.start(auth);
    return new PagesUnderTest(platform, await launchChromium(), auth, shop);
  }

  async stop(): Promise<void> {
    await this.closePages();
    await this.browser.close();
    await this.shop.stop();
    await this.platform.stop();
  }

  /** A browser that nobody has used. */
  async newVisit(options: BrowserContextOptions = {}): Promise<Visit> {
    const context = await this.browser.newContext(options);
    context.setDefaultTimeout(15_000);
    this.open.push(context);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      const isStatus = /server responded with a status of/.test(message.text());
      if (message.type() !== 'log' && !isStatus) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    return { page, complaints };
  }

  async closePages(): Promise<void> {
    for (const context of this.open.splice(0)) await context.close();
  }

  /** Registers a new person, who is then signed in. */
  async register(page: Page): Promise<{ email: string; password: string }> {
    const person = { email: `${crypto.randomUUID()}@example.com`, password: PASSWORD };
    await page.goto(`${this.auth.issuer}/account/register`);
    await page.getByLabel('Name').fill('Page Person');
    await page.getByLabel('Email address').fill(person.email);
    await page.getByLabel('Password').fill(person.password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.waitForURL(/\/account$/);
    return person;
  }

  /** Fills in the sign-in page that is open. */
  async signIn(page: Page, person = DEMO): Promise<void> {
    await page.getByLabel('Email address').fill(person.email);
    await page.getByLabel('Password').fill(person.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForLoadState();
  }

  /** A person whose password an operator gave out. */
  async personWithTemporaryPassword(): Promise<{ email: string; password: string }> {
    const email = `${crypto.randomUUID()}@example.com`;
    const response = await fetch(`${this.auth.managementUrl}/admin/users`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.auth.managementToken}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ email, name: 'New Person' }),
    });
    if (response.status !== 201)
      throw new Error(`no user: ${response.status} ${await response.text()}`);
    const { temporaryPassword } = (await response.json()) as { temporaryPassword: string };
    return { email, password: temporaryPassword };
  }

  /** What a device shows that wants to be connected. */
  async deviceCode(): Promise<string> {
    const response = await fetch(`${this.auth.issuer}/device_authorization`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'demo-cli', scope: 'openid email links:read' }),
    });
    return ((await response.json()) as { user_code: string }).user_code;
  }
}
