import { describeWith } from '@gatepost/test-services';
import { jest } from '@jest/globals';
import type { Page } from 'playwright-core';
import { APPEARANCES } from './chromium.ts';
import { findFaults } from './examine-page.ts';
import { PagesUnderTest } from './pages-under-test.ts';

// A browser on a busy machine takes its time.
jest.setTimeout(90_000);

describeWith(
  ['postgres', 'chromium'],
  'the pages, to people who see, hear and hit them differently,',
  () => {
    let pages: PagesUnderTest;

    beforeAll(async () => {
      pages = await PagesUnderTest.start();
    });
    afterEach(() => pages?.closePages());
    afterAll(() => pages?.stop());

    describe.each(Object.entries(APPEARANCES))(
      'have no fault that axe finds in %s',
      (_name, look) => {
        const examine = async (page: Page, address: string) => {
          await page.goto(address);
          expect(await findFaults(page)).toEqual([]);
        };

        it('for somebody who signs in or registers', async () => {
          const { page } = await pages.newVisit(look);
          await examine(page, pages.shop.signInUrl());
          await page.getByRole('button', { name: 'Sign in' }).click();
          await page.waitForLoadState();
          expect(await findFaults(page)).toEqual([]);
          await examine(page, pages.shop.signInUrl({ prompt: 'create' }));
          await page.getByRole('button', { name: 'Create account' }).click();
          await page.waitForLoadState();
          expect(await findFaults(page)).toEqual([]);
        });

        it('for somebody whose password an operator gave out', async () => {
          const { page } = await pages.newVisit(look);
          const person = await pages.personWithTemporaryPassword();
          for (const address of [pages.shop.signInUrl(), `${pages.auth.issuer}/account`]) {
            await page.goto(address);
            await pages.signIn(page, person);
            expect(await page.title()).toBe('Choose a new password – Gatepost');
            expect(await findFaults(page)).toEqual([]);
            await page.getByRole('button').first().click();
            await page.waitForLoadState();
            expect(await page.title()).toMatch(/^Error: /);
            expect(await findFaults(page)).toEqual([]);
          }
        });

        it('for somebody who is signed in', async () => {
          const { page } = await pages.newVisit(look);
          await pages.register(page);
          await examine(page, pages.shop.signInUrl());
          await page.getByRole('button', { name: 'Allow' }).click();
          await page.waitForURL(`${pages.shop.landing}*`);
          await examine(page, pages.shop.signInUrl({ scope: 'openid phone' }));
          await examine(page, pages.shop.signInUrl({ prompt: 'login' }));
          await examine(page, pages.shop.signInUrl({ prompt: 'select_account' }));
          for (const path of ['', '?done=session', '/profile', '/password', '/delete', '/deleted'])
            await examine(page, `${pages.auth.issuer}/account${path}`);
          await page.goto(`${pages.auth.issuer}/account/delete`);
          await page.getByRole('button', { name: 'Delete it' }).click();
          await page.waitForLoadState();
          expect(await findFaults(page)).toEqual([]);
        });

        it('for devices, sign-out and errors', async () => {
          const { page } = await pages.newVisit(look);
          await pages.register(page);
          await examine(page, `${pages.auth.issuer}/device`);
          await page.getByLabel('Code').fill('WRNG-CODE');
          await page.getByRole('button', { name: 'Continue' }).click();
          await page.waitForLoadState();
          expect(await findFaults(page)).toEqual([]);
          await examine(page, `${pages.auth.issuer}/device?user_code=${await pages.deviceCode()}`);
          await page.getByRole('button', { name: 'Continue' }).click();
          await page.getByRole('button', { name: 'The code matches' }).waitFor();
          expect(await findFaults(page)).toEqual([]);
          await examine(
            page,
            `${pages.auth.issuer}/authorize?client_id=unknown&redirect_uri=http://x.example`,
          );
          await examine(page, `${pages.auth.issuer}/interaction/nobody-knows-it`);
          await examine(page, `${pages.auth.issuer}/nowhere`);
          await examine(page, pages.shop.signOutUrl());
          await page.goto(`${pages.auth.issuer}/logout`);
          await page.getByRole('button', { name: 'Sign out' }).click();
          await page.waitForLoadState();
          expect(await findFaults(page)).toEqual([]);
        });
      },
    );
  },
);
