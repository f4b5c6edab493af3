/** The claims each scope asks for (OIDC Core section 5.4). */
export const claimsByScope = {
  // The method of the sign-in (RFC 8176) belongs to it like its subject; userinfo does not know it and leaves it out.
  openid: ['sub', 'amr'],
  profile: [
    'name',
    'family_name',
    'given_name',
    'middle_name',
    'nickname',
    'preferred_username',
    'profile',
    'picture',
    'website',
    'gender',
    'birthdate',
    'zoneinfo',
    'locale',
    'updated_at',
  ],
  email: ['email', 'email_verified'],
  address: ['address'],
  phone: ['phone_number', 'phone_number_verified'],
};
