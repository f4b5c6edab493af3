import { interactionPolicy } from 'oidc-provider';

const { base, Check, Prompt } = interactionPolicy;

/**
 * What a person is asked for, in this order: to create an account (`prompt=create`, OpenID Connect Prompt Create 1.0), to
 * sign in, to choose an account (`prompt=select_account`), to consent.
 */
export function peoplePolicy(): ReturnType<typeof base> {
  const policy = base();
  // A session of an account that was deleted or disabled meanwhile counts for nobody.
  policy
    .get('login')
    ?.checks.add(
      new Check('account_gone', 'End-User authentication is required', (ctx) =>
        ctx.oidc.session?.accountId && !ctx.oidc.account
          ? Check.REQUEST_PROMPT
          : Check.NO_NEED_TO_PROMPT,
      ),
    );
  policy.add(new Prompt({ name: 'create', requestable: true }), 0);
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 2);
  return policy;
}
