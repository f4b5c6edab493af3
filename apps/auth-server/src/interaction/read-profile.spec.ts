import { readProfile } from './read-profile.ts';

describe('a changed profile', () => {
  it('has the lines that were filled in, without the spaces around', () => {
    expect(
      readProfile({
        name: ' Demo ',
        phone_number: '+1 555 010 0000',
        locality: ' Town ',
        country: '',
      }),
    ).toMatchObject({
      change: { name: 'Demo', phoneNumber: '+1 555 010 0000', address: { locality: 'Town' } },
    });
  });

  it('has no address and no number when they were emptied', () => {
    expect(readProfile({ name: 'Demo' })).toMatchObject({
      change: { name: 'Demo', phoneNumber: undefined, address: undefined },
    });
  });

  it('names every fault and shows again what was entered', () => {
    expect(readProfile({ name: '', phone_number: '12', region: 'x'.repeat(201) })).toMatchObject({
      entered: { phone_number: '12' },
      faults: {
        name: expect.any(String),
        phone_number: expect.any(String),
        region: expect.any(String),
      },
    });
  });
});
