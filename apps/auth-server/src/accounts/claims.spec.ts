import type { Account } from './account.ts';
import { toClaims } from './claims.ts';

const account: Account = {
  id: 'a11ce000-0000-4000-8000-000000000001',
  email: 'Demo@example.com',
  emailVerified: false,
  name: 'Demo User',
  profile: {},
  address: undefined,
  phoneNumber: undefined,
  phoneNumberVerified: false,
  disabled: false,
  passwordIsTemporary: false,
  passwordChangedAt: new Date('2026-01-01T00:00:00Z'),
  createdAt: new Date('2026-01-01T00:00:00Z'),
  updatedAt: new Date('2026-02-01T00:00:00.900Z'),
};

describe('claims of an account', () => {
  it('says the email address is not verified until it was proven', () => {
    expect(toClaims(account)).toEqual({
      sub: account.id,
      name: 'Demo User',
      email: 'Demo@example.com',
      email_verified: false,
      updated_at: 1_769_904_000,
    });
  });

  it('formats the address as it stands on an envelope', () => {
    const address = {
      street_address: '1 Main Street',
      postal_code: '12345',
      locality: 'Springfield',
      country: 'Nowhere',
    };
    expect(toClaims({ ...account, address })['address']).toEqual({
      ...address,
      formatted: '1 Main Street\n12345 Springfield\nNowhere',
    });
  });

  it('tells a phone number along with whether it was verified', () => {
    const claims = toClaims({ ...account, phoneNumber: '+1 555 0100' });
    expect(claims).toMatchObject({ phone_number: '+1 555 0100', phone_number_verified: false });
  });

  it('tells known profile claims and nothing else that is stored there', () => {
    const profile = { picture: 'https://example.com/p.png', sub: 'somebody-else', note: 'inside' };
    const claims = toClaims({ ...account, profile });
    expect(claims).toMatchObject({ sub: account.id, picture: 'https://example.com/p.png' });
    expect(claims).not.toHaveProperty('note');
  });

  it('leaves out claims without a value', () => {
    expect(toClaims({ ...account, name: undefined, profile: { nickname: '' } })).not.toHaveProperty(
      'name',
    );
  });
});
