/**
 * Requests whose workspace is deleted between their read and their write get what later requests
 * get, and none gets 500.
 */
import { expect, test } from 'vitest'
import { hashApiKey } from '../../lib/auth/keys/api-keys.ts'
import { deleteWorkspace } from '../support/deleted-workspace.ts'
import { useFaultyWorkers } from '../support/faulty-workers.ts'
import { importer, MAYA, partnerRows } from '../support/imports.ts'
import { type Answer, createMerchant, errorShape, useDatabase } from '../support/merchant.ts'
import { checkoutSession, stripeEvent, useStripe } from '../support/stripe.ts'

const database = useDatabase()
const faulty = useFaultyWorkers(
  'track-click',
  'track-lead',
  'track-sale',
  'track-refund',
  'track-batch',
  'import-partners',
  'import-customers',
  'stripe-webhook',
  'auth',
)

/** A merchant whose workspace can be deleted before one of its fetches. */
const createWatched = async () => {
  const merchant = await createMerchant({ baseUrl: faulty.baseUrl() })
  const { seed, workspace, programId, apiKey } = merchant
  const clickId = await merchant.click()
  await database.firstVisitNoted(programId)
  // Who is known elsewhere stays signed in.
  const elsewhere = await seed.addWorkspace()
  await seed.addMember(elsewhere.id, `manager@${workspace.slug}.example`, 'member')
  const imports = await importer(merchant, faulty.baseUrl())
  // The session's token is what the auth Worker asks by; the rest names the workspace, its keys and
  // its program.
  const token = decodeURIComponent(imports.cookie.split('=')[1] ?? '').split('.')[0] ?? ''
  const tenant = [workspace.id, workspace.slug, programId, (await hashApiKey(apiKey)) ?? '', token]
  return {
    ...merchant,
    ...imports,
    ...(await useStripe(merchant, faulty.baseUrl())),
    ...faulty.watch(tenant),
    clickId,
    deleted: () => deleteWorkspace(database.query, workspace.id),
  }
}
type Watched = Awaited<ReturnType<typeof createWatched>>

const SALE = { externalId: 'inv_1', customerExternalId: 'user_1', amountCents: 4_900 }
const CUSTOMERS = [{ customerExternalId: 'cus_1', partnerEmail: MAYA }]
const NOBODY: [number, string] = [401, 'invalid_api_key']
const NOWHERE: [number, string] = [404, 'not_found']

const REQUESTS: {
  request: string
  /** Fetches before the one that writes. */
  reads: number
  send: (merchant: Watched) => Promise<Answer>
  gets: [number, string]
}[] = [
  { request: 'a sale', reads: 1, send: ({ sale, clickId }) => sale({ clickId }), gets: NOBODY },
  { request: 'a sale of nobody', reads: 1, send: ({ sale }) => sale({}), gets: NOBODY },
  { request: 'a lead', reads: 1, send: ({ lead, clickId }) => lead({ clickId }), gets: NOBODY },
  { request: 'a refund', reads: 1, send: ({ refund }) => refund({}), gets: NOBODY },
  {
    request: 'a batch',
    reads: 1,
    send: ({ post, clickId }) =>
      post('/api/track/batch', { events: [{ kind: 'sale', ...SALE, clickId }] }),
    gets: NOBODY,
  },
  {
    request: 'an import of new partners',
    reads: 1,
    send: ({ partners }) => partners(partnerRows(2)),
    gets: NOWHERE,
  },
  {
    request: 'an import of partners with balances',
    reads: 2,
    send: ({ partners }) => partners(partnerRows(2), { importOpeningBalances: true }),
    gets: NOWHERE,
  },
  {
    request: 'an import of customers',
    reads: 2,
    send: ({ customers }) => customers(CUSTOMERS),
    gets: NOWHERE,
  },
]

test.concurrent.each(REQUESTS)(
  '$request gets $gets',
  async ({ reads, send, gets: [status, code] }) => {
    const merchant = await createWatched()
    merchant.plan(...Array<null>(reads).fill(null), merchant.deleted)
    const answer = await send(merchant)
    expect(merchant.left()).toBe(0)
    expect(answer).toMatchObject({ status, body: errorShape(code) })
    expect(await send(merchant)).toMatchObject({ status: answer.status, body: errorShape(code) })
  },
)

test.concurrent('an event of Stripe’s gets 503, and its repeat what later ones get', async () => {
  const merchant = await createWatched()
  const event = stripeEvent('checkout.session.completed', checkoutSession())
  merchant.plan(null, merchant.deleted)
  expect(await merchant.deliver(event)).toMatchObject({
    status: 503,
    body: errorShape('try_again'),
  })
  expect(merchant.left()).toBe(0)
  expect(await merchant.deliver(event)).toMatchObject({
    status: 400,
    body: errorShape('invalid_signature'),
  })
})

test('a click of a partner who is deleted at the same time gets 404', async () => {
  const merchant = await createMerchant()
  const { seed, workspace, programId } = merchant
  const leo = await seed.addPartner(workspace.id, programId, { slug: 'leo' })
  const click = database.whileUncommitted('delete from partners where id = $1', [leo], () =>
    merchant.click('leo'),
  )
  await expect(click).rejects.toThrow('"partner_not_found"')
})
