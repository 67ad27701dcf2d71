/**
 * A partner's email address changes: the new one is proved by a mailed link, the old one is
 * notified, and all else stays.
 */
import { describe, expect, inject, test } from 'vitest'
import { importer } from '../support/imports.ts'
import { useDatabase } from '../support/merchant.ts'
import { browse } from '../support/pages.ts'
import { giveDetails } from '../support/payment-details.ts'
import { openSession } from '../support/people.ts'
import { addPayout, createPartner } from '../support/portal.ts'

const database = useDatabase()

/** A partner with a connected account and a payout on its way, who wants another address. */
const createMover = async () => {
  const partner = await createPartner()
  const { email, merchant } = partner
  await addPayout(database, partner, 980)
  const to = `new-${email}`
  const portalOf = async (address: string) =>
    browse(await openSession(address), inject('baseUrl'), '/portal')
  const pages = await portalOf(email)
  return {
    ...partner,
    to,
    pages,
    portalOf,
    imports: await importer(merchant),
    /** Asks for the link. @returns its path in the portal */
    request: async (address = to) => {
      const sent = await pages.post('/address', { email: address })
      expect([sent.status, sent.text]).toEqual([200, expect.stringContaining('Check your email')])
      const [mail] = await database.query<{ url: string }>(
        `select details->>'url' as url from mails where kind = 'address_link' and recipient = $1 order by id desc limit 1`,
        [address],
      )
      const { pathname, search, searchParams } = new URL(mail?.url ?? '')
      return {
        path: pathname.replace('/portal', '') + search,
        token: searchParams.get('token') ?? '',
      }
    },
    addresses: () =>
      database.query<{ partner: string; account: string }>(
        `select p.email as partner, a.email as account from partners p
         join payout_accounts a on a.workspace_id = p.workspace_id where p.workspace_id = $1 and p.slug = 'ann'`,
        [merchant.workspace.id],
      ),
  }
}

describe('a new address', () => {
  test('takes the partner with it, once its mailed link is opened: account, payouts and waiting mails', async () => {
    const { email, to, pages, portalOf, request, addresses, merchant, partnerId } =
      await createMover()
    expect((await pages.get('')).text).toContain('Change your email address')
    const { path, token } = await request()
    expect(await addresses()).toEqual([{ partner: email, account: email }])
    expect((await pages.get(path)).text).toContain(`you sign in with ${to} instead of ${email}`)
    const changed = await pages.post('/address/confirm', { token })
    expect([changed.status, changed.text]).toEqual([
      200,
      expect.stringContaining('Address changed'),
    ])

    expect(await addresses()).toEqual([{ partner: to, account: to }])
    expect((await (await portalOf(to)).get('/payouts')).text).toContain('$9.80')
    expect((await pages.get('/payouts')).text).not.toContain('$9.80')
    expect(
      await database.query(
        `select recipient from mails where partner_id = $1 and kind = 'address_changed'`,
        [partnerId],
      ),
    ).toEqual([{ recipient: email }])
    expect((await database.audit(merchant)).at(-1)).toMatchObject({
      actor: email,
      action: 'partner.address_changed',
      subject_id: partnerId,
      details: { from: email, to },
    })
    expect(
      (await database.violations(merchant.workspace.id)).filter(({ invariant }) =>
        invariant.includes('account'),
      ),
    ).toEqual([])
  })

  test('finds the partner in imports of the old one, so that nobody is created or paid twice', async () => {
    const { email, to, pages, request, imports, merchant } = await createMover()
    await pages.post('/address/confirm', { token: (await request()).token })
    const again = await imports.partners([{ email, openingBalanceCents: 5_000 }], {
      importOpeningBalances: true,
    })
    expect(again.body).toMatchObject({ summary: { created: 0, skippedExisting: 1 } })
    const mapped = await imports.customers([
      { customerExternalId: 'cus_old', partnerEmail: email },
      { customerExternalId: 'cus_new', partnerEmail: to },
    ])
    expect(mapped.body).toMatchObject({ summary: { created: 2, errors: 0 } })
    const partners = await database.query(
      `select email from partners where workspace_id = $1 and slug <> 'maya'`,
      [merchant.workspace.id],
    )
    expect(partners).toEqual([{ email: to }])
  })

  test('takes everything along that is kept by address: how the partner is paid, invoiced, and where it cannot be', async () => {
    const { email, to, pages, request, workspaceId } = await createMover()
    await giveDetails(
      database.query,
      { workspaceId, email },
      { method: 'paypal', address: 'ann@paypal.example' },
    )
    await database.query(
      `insert into payees (workspace_id, email, name, updated_at) values ($1, $2, 'Ann', now())`,
      [workspaceId, email],
    )
    await database.query(
      `insert into unreachable_people (workspace_id, email, country, noted_at) values ($1, $2, 'KE', now())`,
      [workspaceId, email],
    )
    await database.query(
      'insert into mail_optouts (workspace_id, email, created_at) values ($1, $2, now())',
      [workspaceId, email],
    )
    const tablesWith = async (address: string) => {
      const tables = await database.query<{ name: string }>(
        `select table_name as name from information_schema.columns
         where table_schema = 'public' and column_name in ('email', 'workspace_id')
         group by 1 having count(*) = 2 order by 1`,
      )
      const found = tables.map(async ({ name }) => {
        const rows = await database.query(
          `select from ${name} where workspace_id = $1 and email = $2 limit 1`,
          [workspaceId, address],
        )
        return rows.length ? [name] : []
      })
      return (await Promise.all(found)).flat()
    }
    const kept = [
      'mail_optouts',
      'partners',
      'payees',
      'payment_details',
      'payout_accounts',
      'unreachable_people',
    ]
    expect(await tablesWith(email)).toEqual(kept)
    await pages.post('/address/confirm', { token: (await request()).token })
    expect([await tablesWith(email), await tablesWith(to)]).toEqual([[], kept])
  })

  test('and back again, by a link each time', async () => {
    const { email, to, pages, portalOf, request, addresses } = await createMover()
    await pages.post('/address/confirm', { token: (await request()).token })
    const there = await portalOf(to)
    expect((await there.post('/address', { email })).status).toBe(200)
    const [mail] = await database.query<{ url: string }>(
      `select details->>'url' as url from mails where kind = 'address_link' and recipient = $1`,
      [email],
    )
    const token = new URL(mail?.url ?? '').searchParams.get('token') ?? ''
    expect((await there.post('/address/confirm', { token })).status).toBe(200)
    expect(await addresses()).toEqual([{ partner: email, account: email }])
  })

  test('changes once, however often the link is used at the same time', async () => {
    const { pages, request, addresses, to, merchant } = await createMover()
    const { token } = await request()
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => pages.post('/address/confirm', { token })),
    )
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1)
    expect(await addresses()).toEqual([{ partner: to, account: to }])
    const changes = (await database.audit(merchant)).filter(
      ({ action }) => action === 'partner.address_changed',
    )
    expect(changes).toHaveLength(1)
  })
})

describe('nothing changes', () => {
  test.each<{
    case: string
    by: (mover: Awaited<ReturnType<typeof createMover>>) => Promise<{ status: number }>
  }>([
    {
      case: 'when whoever got the link by a typing error opens it',
      by: async ({ to, portalOf, request }) => {
        const { token } = await request()
        return (await portalOf(to)).post('/address/confirm', { token })
      },
    },
    {
      case: 'with a link that has expired',
      by: async ({ email, pages, request }) => {
        const { token } = await request()
        await database.query('update address_changes set expires_at = now() where email = $1', [
          email,
        ])
        return pages.post('/address/confirm', { token })
      },
    },
    {
      case: 'with a link that nobody sent',
      by: ({ pages }) => pages.post('/address/confirm', { token: 'x'.repeat(32) }),
    },
    {
      case: 'from another site',
      by: async ({ pages, request }) =>
        pages.post(
          '/address/confirm',
          { token: (await request()).token },
          { Origin: 'https://evil.example' },
        ),
    },
    {
      case: 'to an address of another partner of the workspace',
      by: async ({ merchant, to, pages, request }) => {
        const { token } = await request()
        await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, {
          slug: 'bea',
          email: to,
        })
        return pages.post('/address/confirm', { token })
      },
    },
    { case: 'to no address', by: ({ pages }) => pages.post('/address', { email: 'ann' }) },
    { case: 'to the same address', by: ({ pages, email }) => pages.post('/address', { email }) },
  ])('$case', async ({ by }) => {
    const mover = await createMover()
    expect((await by(mover)).status).toBeGreaterThanOrEqual(400)
    const [row] = await database.query('select email from partners where id = $1', [
      mover.partnerId,
    ])
    expect(row).toEqual({ email: mover.email })
    expect((await database.audit(mover.merchant)).map(({ action }) => action)).not.toContain(
      'partner.address_changed',
    )
  })

  test('and a mailbox is not flooded with links', async () => {
    const { pages, to } = await createMover()
    const statuses: number[] = []
    for (let request = 0; request < 5; request++)
      statuses.push((await pages.post('/address', { email: to })).status)
    expect(statuses).toEqual([200, 200, 200, 400, 400])
  })
})
