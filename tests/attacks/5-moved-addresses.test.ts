/**
 * Somebody with a partner's session moves the partner to an address of their own, to be paid in its
 * place.
 */
import { describe, expect, inject, test } from 'vitest'
import { atStripe, createConnecting } from '../support/connecting.ts'
import { useDatabase } from '../support/merchant.ts'
import { browse } from '../support/pages.ts'
import { giveDetails } from '../support/payment-details.ts'
import { openSession } from '../support/people.ts'

const database = useDatabase()

type Pages = Awaited<ReturnType<typeof createConnecting>>['pages']

/** A partner whose address a thief has moved, and what the thief can do then. */
const createMoved = async () => {
  const partner = await createConnecting()
  const { email, pages, workspaceId, merchant } = partner
  const to = `thief-${email}`
  const urlIn = async (kind: string, recipient: string, name: string) => {
    const [mail] = await database.query<{ url: string }>(
      `select details ->> $3 as url from mails where kind = $1 and recipient = $2 order by id desc limit 1`,
      [kind, recipient, name],
    )
    const url = new URL(mail?.url ?? 'none:')
    return {
      path: url.pathname.replace(/^\/portal/, '') + url.search,
      token: url.searchParams.get('token') ?? '',
    }
  }
  await pages.post('/address', { email: to })
  const { token } = await urlIn('address_link', to, 'url')
  expect((await pages.post('/address/confirm', { token })).status).toBe(200)
  const thief = browse(await openSession(to), inject('baseUrl'), '/portal')
  return {
    ...partner,
    to,
    thief,
    link: await urlIn('address_changed', email, 'revertUrl'),
    /** Connects an account of the thief's, and finishes at Stripe. */
    connectAsThief: async () => {
      const { headers } = await thief.post('/connect', { workspace: workspaceId, country: 'DE' })
      const [, link = ''] = /url=(.+)$/.exec(headers.get('Refresh') ?? '') ?? []
      const { headers: opened } = await fetch(link, { redirect: 'manual' })
      const left = await atStripe(`${new URL(opened.get('Location') ?? '', link).pathname}/finish`)
      const back = new URL(left.headers.get('Location') ?? '')
      return (await thief.get(back.pathname.replace(/^\/portal/, '') + back.search)).location
    },
    addressOf: async () => {
      const [row] = await database.query<{ email: string }>(
        'select email from partners where id = $1',
        [partner.partnerId],
      )
      return row?.email
    },
    /** Lets hours pass since the move, and since all that was done after it. */
    later: async (interval: string) => {
      for (const [table, column, times] of [
        ['address_changes', 'email', ['done_at', 'created_at']],
        ['payout_accounts', 'email', ['effective_at', 'created_at']],
      ] as const)
        await database.query(
          `update ${table} set ${times.map((time) => `${time} = ${time} - $1::interval`).join(', ')}
           where ${column} = any ($2)`,
          [interval, [email, to]],
        )
      await database.query(
        `update former_partner_addresses set until = until - $1::interval where partner_id = $2`,
        [interval, partner.partnerId],
      )
    },
    accounts: () =>
      database.query<{ email: string; isGone: boolean }>(
        `select email, disconnected_at is not null as "isGone" from payout_accounts
         where workspace_id = $1 order by created_at`,
        [workspaceId],
      ),
    audit: async () => (await database.audit(merchant)).map(({ action }) => action),
  }
}

/** Opens the link as somebody, and presses its button. */
const revert = async ({ path, token }: { path: string; token: string }, as: Pages) => {
  const shown = await as.get(path)
  const pressed = await as.post('/address/revert', { token })
  return [shown.status, pressed.status]
}

describe('whoever reads the mail at the old address', () => {
  test('takes the partner back, and what the thief has connected is gone', async () => {
    const moved = await createMoved()
    const { pages, link, email, to, workspaceId } = moved
    expect(await moved.connectAsThief()).toBe('/portal?connect=held')
    expect(await moved.addressOf()).toBe(to)
    expect(await moved.accounts()).toEqual([{ email: to, isGone: false }])

    expect((await pages.get(link.path)).text).toContain(`becomes ${email} again instead of ${to}`)
    expect(await moved.addressOf()).toBe(to)
    const done = await pages.post('/address/revert', { token: link.token })
    expect([done.status, done.text]).toEqual([200, expect.stringContaining('Sign out everywhere')])
    expect(await moved.addressOf()).toBe(email)
    expect(await moved.accounts()).toEqual([{ email, isGone: true }])
    expect((await moved.thief.get('')).text).toContain('is not a partner of any program')
    const [notice] = await database.query(
      `select details from mails where workspace_id = $1 and kind = 'address_changed' and recipient = $2`,
      [workspaceId, to],
    )
    expect(notice).toMatchObject({ details: { from: to, to: email, revertUrl: null } })
    expect(await moved.audit()).toEqual(
      expect.arrayContaining([
        'partner.address_changed',
        'payout_account.connected',
        'payout_account.disconnected',
      ]),
    )
    expect(await database.violations(workspaceId)).toEqual([])
    // A repeat, such as a double click, changes nothing more.
    expect(await revert(link, pages)).toEqual([200, 200])
    expect(await moved.addressOf()).toBe(email)
  })

  test('cancels payment details that wait', async () => {
    const moved = await createMoved()
    const { to, workspaceId, link, pages } = moved
    await giveDetails(
      database.query,
      { workspaceId, email: to },
      { method: 'paypal', address: 'eve@paypal.example' },
    )
    await database.query(
      `update payment_details set created_at = now(), effective_at = now() + interval '72 hours' where workspace_id = $1`,
      [workspaceId],
    )
    expect(await revert(link, pages)).toEqual([200, 200])
    const rows = await database.query<{ isCanceled: boolean }>(
      'select canceled_at is not null as "isCanceled" from payment_details where workspace_id = $1',
      [workspaceId],
    )
    expect(rows).toEqual([{ isCanceled: true }])
  })

  test('can do so for 72 hours, and after that as long as something that was given since is held', async () => {
    const idle = await createMoved()
    await idle.later('71 hours 59 minutes')
    expect((await idle.pages.get(idle.link.path)).status).toBe(200)
    await idle.later('2 minutes')
    expect(await revert(idle.link, idle.pages)).toEqual([400, 400])

    const moved = await createMoved()
    await moved.later('71 hours')
    await moved.connectAsThief()
    await moved.later('71 hours')
    expect(await revert(moved.link, moved.pages)).toEqual([200, 200])
    expect(await moved.addressOf()).toBe(moved.email)
  })

  test('is told what to do in the mails about an account and payment details, too', async () => {
    const moved = await createMoved()
    await moved.connectAsThief()
    const mails = await database.query<{
      recipient: string
      details: { isFormer?: boolean; confirmUrl?: string }
    }>(
      `select recipient, details from mails where workspace_id = $1 and kind = 'payout_account' order by recipient`,
      [moved.workspaceId],
    )
    expect(
      mails.map(({ recipient, details }) => [
        recipient,
        details.isFormer === true,
        'confirmUrl' in details,
      ]),
    ).toEqual([
      [moved.email, true, false],
      [moved.to, false, false],
    ])
  })
})

describe('the link is of no use', () => {
  test('to the new address, to others, or if it is guessed', async () => {
    const { thief, link, pages, addressOf, to } = await createMoved()
    expect(await revert(link, thief)).toEqual([400, 400])
    const stranger = browse(await openSession(`x-${to}`), inject('baseUrl'), '/portal')
    expect(await revert(link, stranger)).toEqual([400, 400])
    expect(await revert({ path: '/address/revert?token=x', token: 'x' }, pages)).toEqual([400, 400])
    expect(await addressOf()).toBe(to)
  })

  test('once somebody else is a partner by the old address', async () => {
    const { merchant, email, link, pages, addressOf, to } = await createMoved()
    const program = await merchant.seed.addProgram(merchant.workspace.id)
    await merchant.seed.addPartner(merchant.workspace.id, program, { slug: 'other', email })
    expect(await revert(link, pages)).toEqual([200, 400])
    expect(await addressOf()).toBe(to)
  })
})
