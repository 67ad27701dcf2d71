/**
 * Somebody with a partner's session, but not its mailbox, connects another Stripe account, to be
 * paid in the partner's place.
 */
import { describe, expect, inject, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { addSupport, SUPPORT } from '../support/brands.ts'
import { atStripe, type Connecting, createConnecting } from '../support/connecting.ts'
import { payoutsHere } from '../support/in-process.ts'
import { useDatabase } from '../support/merchant.ts'
import { browse } from '../support/pages.ts'
import { openSession } from '../support/people.ts'

const database = useDatabase()

type Mail = {
  recipient: string
  details: { change: string; heldUntil?: string; confirmUrl?: string }
}

/** Connects an account, and finishes at Stripe. @returns where the partner ends */
const connect = async ({ connect: begin, pages }: Connecting) => {
  const { headers } = await begin()
  const [, link = ''] = /url=(.+)$/.exec(headers.get('Refresh') ?? '') ?? []
  const opened = await fetch(link, { redirect: 'manual' })
  const { pathname } = new URL(opened.headers.get('Location') ?? '', link)
  const left = await atStripe(`${pathname}/finish`)
  const back = new URL(left.headers.get('Location') ?? '')
  return (await pages.get(back.pathname.replace(/^\/portal/, '') + back.search)).location
}

/** A manager adds to what the partner is owed. */
const adjust = async ({ manager, partnerId }: Connecting, amountCents: number) => {
  const adjustment = {
    externalId: newId(),
    partnerId,
    amountCents,
    currency: 'USD',
    reason: 'Bonus',
  }
  expect((await manager.post('/commissions', adjustment)).status).toBe(201)
}

/** A partner with 50.00 USD due, earned by a sale or made by hand, whose account was replaced. */
const createChanged = async ({ changes = 1, byHand = false } = {}) => {
  const partner = await createConnecting()
  const { workspaceId, email, pages, manager, merchant } = partner
  if (byHand) await adjust(partner, 5_000)
  else {
    await merchant.sale({ amountCents: 25_000, clickId: await merchant.click('ann') })
    await database.age(merchant, '31 days')
  }
  const change = async () => {
    await pages.post('/disconnect', { workspace: workspaceId })
    return connect(partner)
  }
  const first = await connect(partner)
  const ends: (string | null)[] = []
  for (let nth = 0; nth < changes; nth++) ends.push(await change())
  return {
    ...partner,
    first,
    ends,
    change,
    /** What a run would do with the partner: its code, or null if it is paid. */
    due: async (): Promise<string | null> => {
      const { body } = await manager.post('/payouts/run', { dryRun: true })
      const { payouts, skipped } = body as { payouts: object[]; skipped: { code: string }[] }
      return payouts.length > 0 ? null : (skipped[0]?.code ?? 'nothing due')
    },
    mails: () =>
      database.query<Mail>(
        `select recipient, details from mails where workspace_id = $1 and kind = 'payout_account' order by id`,
        [workspaceId],
      ),
    /** The path of the link in the newest mail that has one. */
    link: async (): Promise<string> => {
      const [mail] = await database.query<{ url: string }>(
        `select details ->> 'confirmUrl' as url from mails
         where workspace_id = $1 and details ? 'confirmUrl' order by id desc limit 1`,
        [workspaceId],
      )
      const { pathname, search } = new URL(mail?.url ?? 'none:')
      return pathname.replace(/^\/portal/, '') + search
    },
    later: (interval: string) =>
      database.query(
        `update payout_accounts set effective_at = effective_at - $2::interval where workspace_id = $1`,
        [workspaceId, interval],
      ),
    email,
  }
}
type Changed = Awaited<ReturnType<typeof createChanged>>

describe('a first account of a balance that was made by hand', () => {
  const ageAccount = ({ workspaceId }: Changed, interval: string) =>
    database.query(
      'update payout_accounts set created_at = created_at - $2::interval where workspace_id = $1',
      [workspaceId, interval],
    )

  test('is not paid for 72 hours, and no mail ends that', async () => {
    const partner = await createChanged({ changes: 0, byHand: true })
    expect([partner.first, await partner.due()]).toEqual(['/portal?connect=enabled', 'account_new'])
    expect((await partner.mails()).map(({ details }) => details.confirmUrl)).toEqual([undefined])
    await ageAccount(partner, '71 hours 59 minutes')
    expect(await partner.due()).toBe('account_new')
    await ageAccount(partner, '2 minutes')
    expect(await partner.due()).toBeNull()
  })

  test('waits too if the money comes after the account, if it was imported, and if a sale was credited by hand', async () => {
    const partner = await createChanged({ changes: 0 })
    expect(await partner.due()).toBeNull()
    await adjust(partner, 5_000)
    expect(await partner.due()).toBeNull()
    await adjust(partner, 1)
    expect(await partner.due()).toBe('account_new')

    const credited = await createConnecting()
    const { merchant, manager, partnerId } = credited
    await merchant.sale({ externalId: 'inv_9', amountCents: 25_000 })
    const sale = await merchant.explainReport('sale', 'inv_9')
    await manager.post(`/events/${sale?.id}/credit`, { partnerId, reason: 'By phone' })
    await database.age(merchant, '31 days')
    await connect(credited)
    const { body } = await manager.post('/payouts/run', { dryRun: true })
    expect(body.skipped).toMatchObject([{ code: 'account_new' }])
  })

  test('is paid at once if most was earned by sales, also once the rest was deducted', async () => {
    const partner = await createChanged({ changes: 0 })
    await adjust(partner, 6_000)
    expect(await partner.due()).toBe('account_new')
    await adjust(partner, -3_000)
    expect(await partner.due()).toBeNull()
    const { body } = await partner.manager.post('/payouts/run', { method: 'stripe' })
    expect(body.payouts).toMatchObject([{ amountCents: 8_000 }])
    expect(await database.violations(partner.workspaceId)).toEqual([])
  })
})

/** Opens a link as somebody, and presses its button. */
const confirm = async (path: string, as: Connecting['pages']) => {
  const shown = await as.get(path)
  const fields = Object.fromEntries(new URL(path, 'https://x.example').searchParams)
  const pressed = await as.post('/connect/confirm', fields)
  return { shown: shown.status, pressed: pressed.location ?? pressed.status }
}
const CONFIRMED = { shown: 200, pressed: '/portal?connect=confirmed' }
const REFUSED = { shown: 400, pressed: 400 }

const actions = async ({ merchant }: Changed) =>
  (await database.audit(merchant))
    .map(({ action }) => action)
    .filter((name) => /^payout_account/.test(name))

describe('another account in the place of the first one', () => {
  test('is not paid for 72 hours; the first one was paid at once', async () => {
    const partner = await createChanged({ changes: 0 })
    expect([partner.first, await partner.due()]).toEqual(['/portal?connect=enabled', null])
    expect(await partner.change()).toBe('/portal?connect=held')
    expect(await partner.due()).toBe('account_changed')
    await partner.later('71 hours 59 minutes')
    expect(await partner.due()).toBe('account_changed')
    await partner.later('2 minutes')
    expect(await partner.due()).toBeNull()
  })

  test('is seen by the partner, in its mail, by managers and in the audit log', async () => {
    const partner = await createChanged()
    expect((await partner.mails()).map(({ details }) => details.change)).toEqual([
      'connected',
      'disconnected',
      'changed',
    ])
    expect((await partner.mails()).at(-1)).toMatchObject({
      recipient: partner.email,
      details: {
        heldUntil: expect.stringMatching(/UTC$/),
        confirmUrl: expect.stringContaining('token='),
      },
    })
    await addSupport(database, partner.merchant.programId)
    for (const path of ['', await partner.link()])
      expect((await partner.pages.get(path)).text).toContain(`contact the merchant ( ${SUPPORT} ).`)
    expect((await partner.pages.get('')).text).toContain('This account replaced another one')
    const { body } = await partner.manager.get(`/partners/${partner.partnerId}`)
    expect(body).toMatchObject({
      payoutAccount: { status: 'enabled', effectiveAt: expect.any(String) },
    })
    const pages = browse(
      await partner.merchant.manager(),
      inject('baseUrl'),
      `/app/${partner.merchant.workspace.slug}`,
    )
    expect((await pages.get(`/partners/${partner.partnerId}`)).text).toContain(
      'It replaced another account',
    )
    expect((await pages.get('/audit')).text).toContain(
      'in place of another one; payouts to it wait for 72 hours',
    )
    expect(await actions(partner)).toEqual([
      'payout_account.connected',
      'payout_account.disconnected',
      'payout_account.changed',
    ])
  })

  test('is paid once the partner confirms it by the mail, which is asked first and works once', async () => {
    const partner = await createChanged()
    const link = await partner.link()
    await partner.pages.get(link)
    expect(await partner.due()).toBe('account_changed')
    expect(await confirm(link, partner.pages)).toEqual(CONFIRMED)
    expect(await partner.due()).toBeNull()
    expect(await confirm(link, partner.pages)).toEqual(REFUSED)
    expect((await actions(partner)).at(-1)).toBe('payout_account.confirmed')
    expect(await database.violations(partner.workspaceId)).toEqual([])
  })

  test('is not confirmed by a link that is guessed, another person’s, or opened by another person', async () => {
    const partner = await createChanged()
    const other = await createChanged()
    const link = await partner.link()
    const eve = browse(
      await openSession(`eve@${partner.merchant.workspace.slug}.example`),
      inject('baseUrl'),
      '/portal',
    )
    expect(await confirm(link, eve)).toEqual(REFUSED)
    expect(await confirm(link, other.pages)).toEqual(REFUSED)
    expect(await confirm(link.replace(/token=.*/, 'token=guessed'), partner.pages)).toEqual(REFUSED)
    const theirs = (await other.link()).replace(
      /workspace=[^&]*/,
      `workspace=${partner.workspaceId}`,
    )
    expect(await confirm(theirs, partner.pages)).toEqual(REFUSED)
    expect(await partner.due()).toBe('account_changed')
  })

  test('changed twice within the hold is held anew, and the first link does nothing any more', async () => {
    const partner = await createChanged()
    const former = await partner.link()
    await partner.later('71 hours')
    expect(await partner.change()).toBe('/portal?connect=held')
    await partner.later('2 hours')
    expect(await partner.due()).toBe('account_changed')
    expect(await confirm(former, partner.pages)).toEqual(REFUSED)
    expect(await confirm(await partner.link(), partner.pages)).toEqual(CONFIRMED)
    expect(await partner.due()).toBeNull()
  })

  test('stays held, whatever Stripe’s events say of it, twice or late', async () => {
    const partner = await createChanged()
    const accounts = await database.query<{ account: string }>(
      'select stripe_account_id as account from payout_accounts where workspace_id = $1 order by created_at',
      [partner.workspaceId],
    )
    const payouts = payoutsHere({ STRIPE_URL: inject('stripeUrl') })
    for (const { account } of [...accounts, ...accounts].reverse())
      await payouts.refreshAccount(partner.workspaceId, account)
    expect(await partner.due()).toBe('account_changed')
  })

  test('takes no payout that was claimed before: that account cannot be disconnected', async () => {
    const partner = await createChanged({ changes: 0 })
    const [row] = await database.query<{ account: string }>(
      'select stripe_account_id as account from payout_accounts where workspace_id = $1',
      [partner.workspaceId],
    )
    await database.query(
      `with run as (
         insert into payout_runs (id, workspace_id, method, cutoff_at, created_by, created_at, claimed_at)
         values (uuidv7(), $1, 'stripe', now(), 'manager', now(), now()) returning id)
       insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, stripe_account_id, created_at,
                            next_attempt_at)
       select uuidv7(), $1, id, $2, $3, 'EUR', 100, $4, now(), now() + interval '1 day' from run`,
      [partner.workspaceId, partner.merchant.programId, partner.partnerId, row?.account],
    )
    expect(
      (await partner.pages.post('/disconnect', { workspace: partner.workspaceId })).status,
    ).toBe(400)
    expect(await partner.mails()).toHaveLength(1)
  })
})

describe('whoever moves the partner’s address to a mailbox of their own first', () => {
  const move = async ({ workspaceId, email }: Changed, to: string, when = 'now()') => {
    await database.query(
      `insert into former_partner_addresses (program_id, email, partner_id, until)
       select program_id, email, id, ${when} from partners where workspace_id = $1 and email = $2`,
      [workspaceId, email],
    )
    for (const table of ['partners', 'payout_accounts'])
      await database.query(
        `update ${table} set email = $3 where workspace_id = $1 and email = $2`,
        [workspaceId, email, to],
      )
  }
  const moved = async (when: string) => {
    const partner = await createChanged({ changes: 0 })
    const evil = `evil@${partner.merchant.workspace.slug}.example`
    await move(partner, evil, when)
    const pages = browse(await openSession(evil), inject('baseUrl'), '/portal')
    await pages.post('/disconnect', { workspace: partner.workspaceId })
    await connect({
      ...partner,
      pages,
      connect: () => pages.post('/connect', { workspace: partner.workspaceId, country: 'DE' }),
    })
    return {
      partner,
      evil,
      changed: (await partner.mails()).filter(({ details }) => details.change === 'changed'),
    }
  }

  test('gets no link to confirm with, and the former address is mailed too', async () => {
    const { partner, evil, changed } = await moved("now() - interval '71 hours'")
    expect(changed.map(({ recipient }) => recipient).sort()).toEqual([partner.email, evil].sort())
    for (const { details } of changed) expect(details).not.toHaveProperty('confirmUrl')
    expect(await partner.due()).toBe('account_changed')
  })

  test('three days later, the former address is nobody’s any more', async () => {
    const { evil, changed } = await moved("now() - interval '73 hours'")
    expect(changed).toMatchObject([
      { recipient: evil, details: { confirmUrl: expect.any(String) } },
    ])
  })
})

test('an address that moves while a link is on its way takes neither the mail nor the link with it', async () => {
  const partner = await createChanged()
  const { pages, email } = partner
  const evil = `evil@${partner.merchant.workspace.slug}.example`
  await database.query('update mails set sent_at = null where workspace_id = $1', [
    partner.workspaceId,
  ])
  await pages.post('/address', { email: evil })
  const [asked] = await database.query<{ url: string }>(
    `select details ->> 'url' as url from mails where workspace_id = $1 and kind = 'address_link'`,
    [partner.workspaceId],
  )
  const token = new URL(asked?.url ?? 'none:').searchParams.get('token') ?? ''
  expect((await pages.post('/address/confirm', { token })).status).toBe(200)
  expect((await partner.mails()).map(({ recipient }) => recipient)).toEqual([email, email, email])
  const link = await partner.link()
  expect(
    await confirm(link, browse(await openSession(evil), inject('baseUrl'), '/portal')),
  ).toEqual(REFUSED)
  expect(await partner.due()).toBe('account_changed')
})
