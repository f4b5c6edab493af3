/**
 * Route words of today and the likely ones of tomorrow, in lower case. A code of such a shape would shadow the route, or be
 * taken for one by people. Only words of 6 to 8 letters can ever be codes; the others are listed so that the rule holds when
 * the shape grows.
 */
const RESERVED = new Set(
  `
  about abuse access account accounts activate admin admins alerts alias aliases analytic api apidocs apikey apikeys app apps archive
  archived asset assets audit auth authed authz avatar avatars backend backup backups badge banned batch beta billing block blocked blog
  bot bots brand brands browse bulk bundle cache callback campaign cancel cart catalog category cdn change changes channel charts
  check checkout claim clicks client clients cloud code codes comments company config configs connect console contact contacts
  content cookie cookies create created creator css custom customer dash dashboar data database debug default delete deleted demo deploy
  design desktop details develop device devices disable discover discuss docs document domain domains donate download drafts edit editor
  email emails embed embeds enable engine error errors event events example examples explore export exports extend external
  faq favicon features feed feedback feeds file files filter filters folder folders follow fonts forgot forum forums gateway gdpr
  generate geo getting github global graph graphql graphs group groups guest guests guide guides health healthz help helpdesk history
  home hooks host hosting hosts html http https icon icons identity image images imports import imprint inbox index info install
  internal invalid invite invites invoice invoices issues item items jobs js json jwks keys kibana landing language legal library
  license licenses limit limits link links list listing lists livez local locale login logins logout logs mail mailbox main manage
  manager manifest master media member members message messages metadata metric metrics mobile module modules monitor myapps mylinks
  network new news notfound notice notices null oauth oauth2 offers offline openapi openid operator order orders org overview owner
  package packages page pages panel partner partners passkey password passwd pay payment payments phishing photo photos ping plans
  platform play plugin plugins policies policy popular portal post postback posts premium press preview previews pricing print privacy
  private problem problems product products profile profiles project projects proxy public qr qrcode qrcodes query quota quotas
  readme readyz realms recent recover redirect refresh region register registry reload remove removed replica report reported reports
  request requests reset resource restore results reviews revoke robots role roles root router routes rss safety sales sample samples
  scan scopes script scripts search secret secrets section secure security sendmail server servers service services session sessions
  settings setup share shared shop short shorten shortend shortens shorturl signin signout signup sitemap sites social source
  sources spam ssl sso staff stage staging start stat static statics stats status storage store stores styles submit success summary
  support survey surveys suspend swagger system systems tag tags takedown team teams tenant tenants terms test testing tests theme themes
  thumbs ticket tickets token tokens tools topics tos trace tracking traffic trash trends trial trust tutorial undefined unblock
  unlock unshort update updates upgrade upload uploads uptime url urls usage user userinfo username users utils validate verify
  version versions video videos view views vpn wallet warning web webapp webhook webhooks website websites welcome whois widget widgets
  wiki worker workers wpadmin wplogin www xmlrpc your yourself
  `
    .trim()
    .split(/\s+/),
);

export function isReserved(code: string): boolean {
  return RESERVED.has(code.toLowerCase());
}
