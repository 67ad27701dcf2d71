import type { Context } from 'hono'
import type { SessionEnv } from '../../../lib/auth/session.ts'
import { contactValues } from '../../../lib/brand/brand.ts'
import { readContacts } from '../../../lib/brand/brands.queries.ts'
import { newToken } from '../../../lib/db/ids.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { NO_EMAIL } from '../../../lib/http/fields.ts'
import { form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { renderPortal } from '../../../lib/pages/layout/portal.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import {
  AddressPage,
  ChangedPage,
  ConfirmAddressPage,
  LinkSentPage,
} from '../../../lib/pages/parts/address.tsx'
import {
  changeAddress,
  findAddressChange,
  requestAddressChange,
} from '../../../lib/partners/changes/address-changes.queries.ts'
import { effectiveFrom } from '../../../lib/payouts/details/payment-details.ts'
import { sha256 } from '../../../lib/platform/sha256.ts'
import { freshPartnersOnly } from '../../../lib/sign-in/fresh-partner.tsx'
import { readEmail } from '../../../lib/values/emails.ts'
import { timeWords } from '../../../lib/values/time-words.ts'
import revert from './address-revert.tsx'

/** Longer than for a sign-in link, because the link is useless without a session. */
const LINK_HOURS = 24

const PATH = '/portal/address'

const showForm = (c: Context<SessionEnv>, problem?: string, email?: string) =>
  renderPortal(
    c,
    {
      title: m.email_address,
      children: <AddressPage current={c.var.user.email} email={email} problem={problem} />,
    },
    problem ? 400 : 200,
  )

/** /portal/address: changes a partner's email address, in all programs. */
export default createRoutes<SessionEnv>()
  .get(PATH, (c) => showForm(c))
  .post(PATH, freshPartnersOnly(), form(), async (c) => {
    const { db, now, user } = c.var
    const typed = c.req.valid('form').email
    const to = readEmail(typed)
    if (!to) return showForm(c, NO_EMAIL, typed)
    if (to === user.email) return showForm(c, textsOf(c)(m.address_is_yours), typed)
    const token = newToken()
    const url = new URL(`${PATH}/confirm?token=${token}`, c.req.url).href
    const expiresAt = new Date(now.getTime() + LINK_HOURS * 3_600_000)
    const request = { from: user.email, to, tokenHash: await sha256(token), url, now, expiresAt }
    if (!(await requestAddressChange(db, request)))
      return showForm(c, textsOf(c)(m.too_many_address_links), typed)
    return renderPortal(c, {
      title: m.email_address,
      children: <LinkSentPage to={to} hours={LINK_HOURS} />,
    })
  })
  .get(`${PATH}/confirm`, async (c) => {
    const { db, now, user } = c.var
    const token = c.req.query('token') ?? ''
    const to = await findAddressChange(db, user.email, await sha256(token), now)
    if (!to) return showForm(c, textsOf(c)(m.link_expired))
    const children = <ConfirmAddressPage from={user.email} to={to} token={token} />
    return renderPortal(c, { title: m.email_address, children })
  })
  .post(`${PATH}/confirm`, freshPartnersOnly(), form(), async (c) => {
    const { db, now, user } = c.var
    const tokenHash = await sha256(c.req.valid('form').token ?? '')
    const to = await findAddressChange(db, user.email, tokenHash, now)
    if (!to) return showForm(c, textsOf(c)(m.link_expired))
    const portalUrl = new URL('/portal', c.req.url).href
    const revertToken = newToken()
    const revert = {
      tokenHash: await sha256(revertToken),
      url: new URL(`${PATH}/revert?token=${revertToken}`, c.req.url).href,
      until: timeWords(effectiveFrom(now)),
    }
    const outcome = await changeAddress(db, {
      from: user.email,
      to,
      tokenHash,
      now,
      portalUrl,
      revert,
    })
    if (outcome === 'taken') {
      const contacts = await readContacts(db, user.email)
      return showForm(c, textsOf(c)(m.address_taken, contactValues(...contacts)))
    }
    if (outcome !== 'changed') return showForm(c, textsOf(c)(m.link_expired))
    return renderPortal(c, { title: m.email_address, children: <ChangedPage to={to} /> })
  })
  .route('/', revert)
