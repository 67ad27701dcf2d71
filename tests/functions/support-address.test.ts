/**
 * The support address of a program: whoever reads it confirms it by a mailed link, and replies to
 * mails go there.
 */
import { expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { leaseMails } from '../../lib/mail/outbox/queue.queries.ts'
import { addSupport } from '../support/brands.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { browse, openPages } from '../support/pages.ts'

const database = useDatabase()

const open = async () => {
  const merchant = await createMerchant()
  const address = `help@${merchant.workspace.slug}.example`
  await addSupport(database, merchant.programId, address)
  const pages = await openPages(merchant)
  const path = `/programs/${merchant.programId}`
  return {
    merchant,
    address,
    pages,
    path,
    ask: (supportEmail = address) => pages.post(`${path}/branding/confirmation`, { supportEmail }),
    /** The newest link, opened by somebody who has not signed in. */
    link: async () => {
      const [mail] = await database.query<{ url: string }>(
        `select details ->> 'url' as url from mails where kind = 'support_address' and recipient = $1 order by id desc limit 1`,
        [address],
      )
      return browse(
        null,
        inject('baseUrl'),
        new URL(mail?.url ?? 'https://none.example/none').pathname,
      )
    },
    isVerified: async () =>
      (await (await merchant.asManager()).get(`/programs/${merchant.programId}/brand`)).body
        .supportEmailVerified,
  }
}

const mails = ({ workspace }: Merchant) =>
  database.query('select from mails where workspace_id = $1 and kind = $2', [
    workspace.id,
    'support_address',
  ])

test('opening the mailed link changes nothing, its button confirms the address, once in the audit log', async () => {
  const { merchant, address, pages, path, ask, link, isVerified } = await open()
  expect((await pages.get(path)).text).toContain(`${address} is not confirmed yet`)
  expect((await ask()).status).toBe(303)
  const page = await link()
  const opened = await page.get('')
  expect([opened.status, opened.text]).toEqual([
    200,
    expect.stringContaining(`sends to the partners of A program are to go to ${address}`),
  ])
  expect(await isVerified()).toBe(false)
  const answers = await Promise.all(Array.from({ length: 8 }, () => page.post('', {})))
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
  expect(await isVerified()).toBe(true)
  expect((await page.get('')).text).toContain('Support address confirmed')
  expect((await pages.get(path)).text).toContain(`${address} is confirmed`)
  const log = (await database.audit(merchant)).filter(
    ({ action }) => action === 'brand.support_confirmed',
  )
  expect(log).toMatchObject([{ actor: address, subject_id: merchant.programId }])
  // What is confirmed needs no link.
  expect((await ask()).status).toBe(409)
})

test('a changed address is not confirmed, and its former link is void, also if the address comes back', async () => {
  const { merchant, address, ask, link, isVerified } = await open()
  const manager = await merchant.asManager()
  const brand = `/programs/${merchant.programId}/brand`
  const change = async (supportEmail: string | null, accentColor: string | null = null) => {
    const { version } = (await manager.get(brand)).body
    return manager.put(brand, { logoUrl: null, accentColor, supportEmail, version })
  }
  await ask()
  const page = await link()
  await change(`other-${address}`)
  for (const answer of [await page.get(''), await page.post('', {})])
    expect(answer.status).toBe(404)
  expect((await ask()).status).toBe(409)
  await change(address)
  expect((await page.post('', {})).status).toBe(404)
  await ask()
  await (await link()).post('', {})
  // Another color leaves it confirmed.
  expect((await change(address, '#0a0a5a')).body).toMatchObject({ supportEmailVerified: true })
  expect((await change(null, '#0a0a5a')).body).toMatchObject({ supportEmailVerified: false })
  expect((await change(address, '#0a0a5a')).body).toMatchObject({ supportEmailVerified: false })
  expect(await isVerified()).toBe(false)
})

test('an address gets three links a day, however many ask at once, and only the newest works', async () => {
  const { merchant, ask, link } = await open()
  await ask()
  const first = await link()
  const statuses = (await Promise.all(Array.from({ length: 8 }, () => ask()))).map(
    ({ status }) => status,
  )
  expect(statuses.filter((status) => status === 303)).toHaveLength(2)
  expect(await mails(merchant)).toHaveLength(3)
  expect((await first.post('', {})).status).toBe(404)
  expect((await ask()).text).toContain('several links have been sent today')
})

test('a link that has expired, or that we have not sent, is not found', async () => {
  const { merchant, ask, link, isVerified } = await open()
  await ask()
  const page = await link()
  await database.query(
    `update brands set support_check_until = now() - interval '1 second' where program_id = $1`,
    [merchant.programId],
  )
  for (const path of ['', '/x', `/${'a'.repeat(2_000)}`])
    expect((await page.post(path, {})).status).toBe(404)
  expect((await browse(null, inject('baseUrl'), '/confirm-address/%00').get('')).status).toBe(404)
  expect(await isVerified()).toBe(false)
})

test('members, and managers of another workspace, send none', async () => {
  const [ours, theirs] = [await open(), await open()]
  const member = await openPages(ours.merchant, 'member')
  const asked = { supportEmail: ours.address }
  expect((await member.post(`${ours.path}/branding/confirmation`, asked)).status).toBe(403)
  expect((await theirs.pages.post(`${ours.path}/branding/confirmation`, asked)).status).toBe(404)
  expect((await theirs.ask(ours.address)).status).toBe(409)
  expect((await theirs.ask('nonsense')).status).toBe(409)
  expect([...(await mails(ours.merchant)), ...(await mails(theirs.merchant))]).toEqual([])
})

test('mails of the program have it as the address for replies once it is confirmed, others never', async () => {
  const { merchant, address, ask, link } = await open()
  const { id } = merchant.workspace
  const partnerId = await merchant.seed.addPartner(id, merchant.programId, { slug: 'ann' })
  // Long ago, so that no other mail is due before them.
  const lease = async () => {
    await database.query(
      `insert into mails (id, workspace_id, kind, recipient, partner_id, occasion, details, created_at, next_attempt_at)
       values (uuidv7(), $1, 'moved', 'ann@partner.example', $2, uuidv7()::text, '{}', now(), '2000-01-01')`,
      [id, partnerId],
    )
    const at = new Date('2000-01-02')
    const times = {
      now: at,
      leaseEnd: new Date('2100-01-01'),
      windowStart: new Date('1999-01-01'),
      canBatch: false,
      limit: 50,
    }
    const leased = await leaseMails(connect(inject('database')), times)
    return leased.mails.find((mail) => mail.subscriberId === partnerId)
  }
  expect(await lease()).toMatchObject({
    workspaceName: 'A merchant',
    brand: { supportEmail: address, replyTo: null },
  })
  await ask()
  await (await link()).post('', {})
  expect(await lease()).toMatchObject({ brand: { replyTo: address } })
})
