import type { Context } from 'hono'
import type { SessionEnv } from '../../../lib/auth/session.ts'
import { contactValues } from '../../../lib/brand/brand.ts'
import { readContacts } from '../../../lib/brand/brands.queries.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { rpc } from '../../../lib/http/rpc/rpc.ts'
import { form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { LinkLine, Problem } from '../../../lib/pages/layout/parts.tsx'
import { renderPortal } from '../../../lib/pages/layout/portal.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import { RevertAddressPage, RevertedPage } from '../../../lib/pages/parts/address.tsx'
import {
  findRevert,
  heldSince,
  revertAddress,
} from '../../../lib/partners/changes/address-reverts.queries.ts'
import { readPaymentChoices } from '../../../lib/payouts/details/payment-details.queries.ts'
import {
  cancelChange,
  type DetailsEnv,
} from '../../../lib/payouts/details/payment-details.service.ts'
import { formerAddressesSince } from '../../../lib/payouts/details/payment-details.ts'
import type { PayoutsService } from '../../../lib/payouts/payouts.rpc.ts'
import { sha256 } from '../../../lib/platform/sha256.ts'

type RevertEnv = DetailsEnv &
  SessionEnv & { Bindings: { PAYOUTS: Pick<PayoutsService, 'disconnect'> } }

const PATH = '/portal/address/revert'

const refuse = (c: Context<RevertEnv>, problem: string) => {
  const t = textsOf(c)
  const children = (
    <>
      <h1>{t(m.email_address)}</h1>
      <Problem message={problem} />
      <LinkLine href="/portal">{t(m.back_to_programs)}</LinkLine>
    </>
  )
  return renderPortal(c, { title: m.email_address, children }, 400)
}

/** The change in a link, which only a session of the former address can revert. */
const read = async (c: Context<RevertEnv>, token: string) => {
  const { db, now, user } = c.var
  const revert = { from: user.email, tokenHash: await sha256(token), now }
  return { revert, found: await findRevert(db, revert, formerAddressesSince(now)) }
}

/**
 * Removes the held accounts and details that were entered since the change. A repeated call
 * continues where the last one stopped.
 */
const removeHeld = async (c: Context<RevertEnv>, revert: Parameters<typeof heldSince>[1]) => {
  const { db, now, user } = c.var
  const { accounts, details } = await heldSince(db, revert)
  for (const { workspaceId } of accounts)
    await rpc('payouts', c.env.PAYOUTS.disconnect(workspaceId, user.email))
  for (const { workspaceId, id } of details) {
    const [choice] = await readPaymentChoices(db, user.email, now, workspaceId)
    if (choice) await cancelChange(c, choice, id)
  }
}

/**
 * /portal/address/revert: the owner of the former address reverts its change, by the mailed link.
 */
export default createRoutes<RevertEnv>()
  .get(PATH, async (c) => {
    const token = c.req.query('token') ?? ''
    const { revert, found } = await read(c, token)
    const t = textsOf(c)
    if (!found) return refuse(c, t(m.undo_address_expired))
    const children = found.isReverted ? (
      <RevertedPage from={revert.from} />
    ) : (
      <RevertAddressPage from={revert.from} to={found.to} token={token} />
    )
    return renderPortal(c, { title: m.email_address, children })
  })
  .post(PATH, form(), async (c) => {
    const { db, user } = c.var
    const { revert, found } = await read(c, c.req.valid('form').token ?? '')
    const t = textsOf(c)
    if (!found) return refuse(c, t(m.undo_address_expired))
    const portalUrl = new URL('/portal', c.req.url).href
    if (!(await revertAddress(db, revert, found, portalUrl)))
      return refuse(c, t(m.address_taken, contactValues(...(await readContacts(db, found.to)))))
    await removeHeld(c, revert)
    const children = <RevertedPage from={user.email} />
    return renderPortal(c, { title: m.email_address, children })
  })
