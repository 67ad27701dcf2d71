/**
 * Whoever is erased has done everything first that a partner can do, and managers have written
 * about it. The walk over the portal's routes fails for a route that is not named here, so that
 * what a later one stores is searched, too.
 */
import { beforeAll, describe, expect, inject, test } from 'vitest'
import portal from '../../functions/portal.tsx'
import { unsubscribeToken } from '../../lib/mail/mailings/unsubscribe.ts'
import { atStripe } from '../support/connecting.ts'
import { placesOf } from '../support/erasure.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { browse, fieldsOf, formsOf, openPages } from '../support/pages.ts'
import { openSession } from '../support/people.ts'
import { stripeKey } from '../support/secrets.ts'

const database = useDatabase()

const PAGE = {
  isOpen: 'on',
  approves: 'on',
  intro: 'Join us.',
  question0: 'Who are you?',
  agreement: 'No spam.',
}
const PARTY = { name: 'Ann', street: 'High Street 1', city: 'Berlin', country: 'DE' }

const signIn = async (email: string) => browse(await openSession(email), inject('baseUrl'), '')

/** A merchant who offers everything that a partner can use, and somebody who is no partner yet. */
const createApplicant = async () => {
  const merchant = await createMerchant({ manualPayouts: true, program: { holding_days: 0 } })
  const { id: workspaceId, slug } = merchant.workspace
  const email = `ann@${slug}.example`
  const manager = await merchant.asManager()
  const office = await openPages(merchant)
  const settings = { selfBilling: true, paypalPayouts: true }
  expect((await manager.patch('/settings', settings)).status).toBe(200)
  expect((await manager.put('/stripe/key', { key: stripeKey() })).status).toBe(200)
  const openPage = (fields: Record<string, string>) =>
    office.post(`/programs/${merchant.programId}/applications`, fields)
  const site = await signIn(email)
  const mailed = async (key: string, kind: string) => {
    const [row] = await database.query<{ url: string }>(
      `select details ->> $2 as url from mails where workspace_id = $1 and kind = $3 and details ? $2 order by id desc limit 1`,
      [workspaceId, key, kind],
    )
    const { pathname, search, searchParams } = new URL(row?.url ?? 'none:')
    return { path: pathname + search, token: searchParams.get('token') ?? '' }
  }
  return {
    merchant,
    manager,
    office,
    email,
    /** The address that the partner has in the end. */
    newEmail: `newann@${slug}.example`,
    name: `Anna Quill ${slug}`,
    workspaceId,
    of: `workspace=${workspaceId}`,
    site,
    openPage,
    mailed,
    partnerId: async () => {
      const [row] = await database.query<{ id: string }>(
        `select id from partners where workspace_id = $1 and slug <> 'maya' order by id limit 1`,
        [workspaceId],
      )
      return row?.id ?? ''
    },
  }
}
type Applicant = Awaited<ReturnType<typeof createApplicant>>

/**
 * Follows a link to Stripe, and gives the details there.
 * @returns the path to which Stripe sends the partner
 */
const onboard = async (link: string): Promise<string> => {
  const opened = await fetch(link, { redirect: 'manual' })
  const visit = new URL(opened.headers.get('Location') ?? '', link)
  const left = await atStripe(`${visit.pathname}/finish`)
  const { pathname, search } = new URL(left.headers.get('Location') ?? '')
  return pathname + search
}

const connect = async ({ site, workspaceId }: Applicant): Promise<string> => {
  const { html } = await site.post('/portal/connect', { workspace: workspaceId, country: 'DE' })
  return /href="([^"]*\/connect\/alu_[^"]*)"/.exec(html)?.[1] ?? ''
}

const pathToUnsubscribe = async ({ partnerId }: Applicant) => {
  const [row] = await database.query<{ key: string }>('select key from unsubscribe_key')
  return `/unsubscribe/${await unsubscribeToken(row?.key ?? '', await partnerId())}`
}

/** What a route answers when it has done something: a page with a message, or a redirect. */
const DONE = [200, 303]

const confirmAddress = async ({ site, mailed }: Applicant) => {
  const { token } = await mailed('url', 'address_link')
  return site.post('/portal/address/confirm', { token })
}

/** What each route that changes something does, in this order. */
const ACTS: Record<string, (applicant: Applicant) => Promise<{ status: number }>> = {
  'POST /join/:program/apply': async ({ site, merchant, manager, openPage, name, email }) => {
    const path = `/join/${merchant.programId}/apply`
    const text = `${name}, ${email}`
    const fields = {
      name,
      promotion: text,
      siteUrl: 'https://ann.example',
      answer0: text,
      accepts: 'on',
    }
    const apply = async () =>
      site.post(path, { ...fieldsOf((await site.get(path)).html), ...fields })
    const { approves: _, ...decided } = PAGE
    await openPage(decided)
    await apply()
    const { data } = (await manager.get('/applications')).body as unknown as {
      data: { id: string }[]
    }
    const rejection = { reason: `Not yet, ${email}.`, sendEmail: true }
    expect((await manager.post(`/applications/${data[0]?.id}/reject`, rejection)).status).toBe(200)
    await openPage(PAGE)
    return apply()
  },
  'POST /portal/terms': async ({ site, openPage }) => {
    await openPage({ ...PAGE, agreement: 'No spam, and no ads.' })
    return site.post('/portal/terms', fieldsOf((await site.get('/portal/terms')).html))
  },
  'POST /portal/links': ({ site, merchant }) =>
    site.post('/portal/links', { program: merchant.programId, slug: 'anns-blog' }),
  'POST /portal/payment': ({ site, of, email }) =>
    site.post(`/portal/payment?${of}`, { method: 'paypal', address: email }),
  'POST /portal/payment/cancel': async ({ site, of }) => {
    const forms = formsOf((await site.get(`/portal/payment?${of}`)).html)
    const form = forms.find(({ action }) => action.includes('/cancel'))
    return site.post(form?.action ?? '/portal/payment/cancel', form?.fields ?? {})
  },
  'POST /portal/connect': async (applicant) => {
    await applicant.site.get(await onboard(await connect(applicant)))
    return { status: 200 }
  },
  'POST /portal/disconnect': ({ site, workspaceId }) =>
    site.post('/portal/disconnect', { workspace: workspaceId }),
  'POST /portal/connect/confirm': async (applicant) => {
    // The second account is held until it is confirmed by mail.
    await applicant.site.get(await onboard(await connect(applicant)))
    const { token } = await applicant.mailed('confirmUrl', 'payout_account')
    return applicant.site.post('/portal/connect/confirm', {
      workspace: applicant.workspaceId,
      token,
    })
  },
  'POST /portal/documents/details': ({ site, of, name }) =>
    site.post(`/portal/documents/details?${of}`, { ...PARTY, name, isAgreed: 'on' }),
  'POST /unsubscribe/:token': async (applicant) =>
    applicant.site.post(await pathToUnsubscribe(applicant), {}),
  'POST /unsubscribe/:token/undo': async (applicant) =>
    applicant.site.post(`${await pathToUnsubscribe(applicant)}/undo`, {}),
  'POST /portal/address': ({ site, newEmail }) => site.post('/portal/address', { email: newEmail }),
  'POST /portal/address/confirm': (applicant) => confirmAddress(applicant),
  'POST /portal/address/revert': async (applicant) => {
    const { email, newEmail, mailed } = applicant
    const former = await signIn(email)
    const { token } = await mailed('revertUrl', 'address_changed')
    const reverted = await former.post('/portal/address/revert', { token })
    // The partner moves again: its former and its new address are both to be erased.
    await former.post('/portal/address', { email: newEmail })
    await confirmAddress({ ...applicant, site: former })
    return reverted
  },
}

/** These show something, or lead to Stripe. */
const PAGES = [
  'GET /join/:program',
  'GET /join/:program/apply',
  'GET /portal',
  'GET /portal/address',
  'GET /portal/address/confirm',
  'GET /portal/address/revert',
  'GET /portal/commissions',
  'GET /portal/connect/confirm',
  'GET /portal/connect/dashboard',
  'GET /portal/connect/refresh',
  'GET /portal/connect/return',
  'GET /portal/disconnect',
  'GET /portal/documents',
  'GET /portal/documents/credit-notes/:id',
  'GET /portal/documents/details',
  'GET /portal/documents/invoices/:id',
  'GET /portal/documents/statement',
  'GET /portal/events',
  'GET /portal/events/:id',
  'GET /portal/links',
  'GET /portal/payment',
  'GET /portal/payouts',
  'GET /portal/terms',
  'GET /unsubscribe/:token',
]

/** What managers, and another applicant, write about the partner. */
const writeAbout = async ({ merchant, manager, office, email, partnerId }: Applicant) => {
  const id = await partnerId()
  const reason = `Asked for by ${email.replace('ann', 'Ann')}.`
  const call = async (path: string, body: object) => {
    const answer = await manager.post(path, body)
    expect({ path, ...answer, status: Math.floor(answer.status / 100) }).toMatchObject({
      status: 2,
    })
    return answer.body as { id?: string; eventId?: string }
  }
  const sell = async (externalId: string) => {
    const clickId = await merchant.click('anns-blog')
    const { body } = await merchant.sale({ externalId, customerExternalId: externalId, clickId })
    const event = await merchant.explain(body.eventId)
    return { eventId: event.id, commissionId: event.commission?.id ?? '' }
  }
  const credited = await sell('inv_credited')
  await call(`/commissions/${credited.commissionId}/hold`, { note: reason })
  await call(`/events/${credited.eventId}/credit`, { partnerId: merchant.partnerId, reason })
  await database.query(
    `insert into webhook_events (id, workspace_id, type, subject_id, partner_id, created_at, payload)
     values (uuidv7(), $1, 'commission.created', $2, $3, now(), $4)`,
    [merchant.workspace.id, credited.eventId, merchant.partnerId, JSON.stringify({ reason })],
  )
  const reversed = await sell('inv_reversed')
  await call(`/commissions/${reversed.commissionId}/reverse`, { reason })
  const refunded = await sell('inv_refunded')
  const form = `/events/${refunded.eventId}/refund`
  const fields = { ...fieldsOf((await office.get(form)).html), amount: '', reason }
  expect((await office.post(form, fields)).status).toBe(303)
  const adjustment = { partnerId: id, amountCents: 1_000, currency: 'USD', reason }
  await call('/commissions', { ...adjustment, externalId: 'adj_1', eventId: refunded.eventId })
  await call(`/partners/${merchant.partnerId}/notes`, {
    content: `A friend of ${email}: ${reason}`,
  })

  const { body } = await manager.post('/payouts/run', { method: 'manual' })
  for (const status of ['paid', 'confirmed'])
    expect((await manager.patch(`/payout-runs/${body.runId}`, { status })).status).toBe(200)
  const { data } = (await manager.get(`/payouts?partnerId=${id}`)).body as unknown as {
    data: { id: string }[]
  }
  await call(`/payouts/${data[0]?.id}/return`, { reason })
  await call('/commissions', { ...adjustment, amountCents: -1_000, externalId: 'adj_2' })

  const friend = await signIn(`leo@${merchant.workspace.slug}.example`)
  const path = `/join/${merchant.programId}/apply`
  await friend.post(path, {
    ...fieldsOf((await friend.get(path)).html),
    ...{
      name: 'Leo',
      promotion: reason,
      siteUrl: 'https://leo.example',
      answer0: reason,
      accepts: 'on',
    },
  })
}

test('every route of the portal and of the pages to join is named here, and what changes something is done', () => {
  const routes = portal.routes.filter(({ method }) => method !== 'ALL')
  const names = new Set(routes.map(({ method, path }) => `${method} ${path}`))
  expect([...names].sort()).toEqual([...Object.keys(ACTS), ...PAGES].sort())
})

describe('a person who has done all that a partner can do, and about whom managers have written', () => {
  let applicant: Applicant
  let id: string

  beforeAll(async () => {
    applicant = await createApplicant()
    for (const [name, act] of Object.entries(ACTS)) {
      if (name === 'POST /portal/payment') await writeAbout(applicant)
      const { status } = await act(applicant)
      expect({ name, status: DONE.includes(status) ? 'done' : status }).toEqual({
        name,
        status: 'done',
      })
    }
    id = await applicant.partnerId()
  })

  test('has left an entry in the audit log of each kind of thing', async () => {
    const entries = await database.audit(applicant.merchant)
    const own = entries.filter(({ actor }) => actor === applicant.email).map(({ action }) => action)
    expect(new Set(own)).toEqual(
      new Set([
        'application.approved',
        'partner.created',
        'link.added',
        'payment_details.changed',
        'payment_details.canceled',
        'payout_account.connected',
        'payout_account.disconnected',
        'payout_account.changed',
        'payout_account.confirmed',
        'payee.changed',
        'partner.unsubscribed',
        'partner.subscribed',
        'partner.address_changed',
      ]),
    )
  })

  test('is in no column of any table after an erasure, but in issued invoices; the ledger is as it was', async () => {
    const { merchant, manager, email, newEmail, name, workspaceId } = applicant
    const ledger = () =>
      database.query('select * from commissions where workspace_id = $1 order by id', [workspaceId])
    const before = await ledger()
    expect((await placesOf(database.query, email)).length).toBeGreaterThan(10)
    expect(await manager.post(`/partners/${id}/erase`)).toMatchObject({ status: 200 })

    expect(await placesOf(database.query, email)).toEqual([])
    expect(await placesOf(database.query, newEmail)).toEqual([])
    expect(await placesOf(database.query, name)).toEqual([])
    expect(await ledger()).toEqual(before)
    expect(await database.violations(workspaceId)).toEqual([])
    expect((await merchant.explainReport('sale', 'inv_credited'))?.steps).toContainEqual(
      expect.objectContaining({
        facts: expect.objectContaining({ reason: `Asked for by erased-${id}@erased.invalid.` }),
      }),
    )
  })
})
