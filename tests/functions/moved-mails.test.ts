/** The “We’ve moved” email, sent after the import to the partners that a manager chooses. */
import { expect, inject, test } from 'vitest'
import { importer } from '../support/imports.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { formsOf, openPages } from '../support/pages.ts'

const database = useDatabase()

/** A merchant whose partners ann and ben were imported without a mail, and cem with one. */
const createImported = async () => {
  const merchant = await createMerchant()
  const { partners } = await importer(merchant)
  const row = (slug: string) => ({
    email: `${slug}@${merchant.workspace.slug}.example`,
    name: slug,
    slug,
  })
  await partners([row('ann'), row('ben'), { ...row('bad'), email: 'bad@localhost.localdomain' }])
  await partners([row('cem')], { sendWelcomeEmail: true })
  const rows = await database.query<{ id: string; slug: string }>(
    'select id, slug from partners where workspace_id = $1',
    [merchant.workspace.id],
  )
  const ids = Object.fromEntries(rows.map(({ id, slug }) => [slug, id]))
  const pages = await openPages(merchant)
  const fields = (...slugs: string[]) =>
    Object.fromEntries(slugs.map((slug) => [`choice-${ids[slug]}`, 'on']))
  return {
    merchant,
    pages,
    fields,
    ask: (...slugs: string[]) => pages.post('/partners/moved', fields(...slugs)),
    send: (...slugs: string[]) => pages.post('/partners/moved/send', fields(...slugs)),
  }
}

const mailsOf = async ({ workspace }: Merchant) =>
  database.query<{ slug: string; details: Record<string, unknown> }>(
    `select p.slug, m.details from mails m join partners p on p.id = m.partner_id
     where m.workspace_id = $1 and m.kind = 'moved' order by p.slug`,
    [workspace.id],
  )
const mailed = async (merchant: Merchant) => (await mailsOf(merchant)).map(({ slug }) => slug)

test('partners who were imported without it get it, with their link, once', async () => {
  const { merchant, pages, ask } = await createImported()
  const base = `/app/${merchant.workspace.slug}/partners`
  expect((await pages.get('/partners')).html).toContain(`formaction="${base}/moved"`)
  const shown = await ask('ann', 'ben')
  expect(shown.text).toContain('Send 2 partners the “We’ve moved” email?')
  expect(await mailed(merchant)).toEqual(['cem'])

  const [confirm] = formsOf(shown.html).filter(({ action }) => action === `${base}/moved/send`)
  const send = () => pages.post('/partners/moved/send', { ...confirm?.fields })
  for (const { status, location } of await Promise.all([send(), send()])) {
    expect(status).toBe(303)
    expect(location).toMatch(/\/mails\?done=mailed$/)
  }
  expect((await send()).status).toBe(303)
  const mails = await mailsOf(merchant)
  expect(mails.map(({ slug }) => slug)).toEqual(['ann', 'ben', 'cem'])
  expect(mails[0]?.details).toEqual({
    partnerName: 'ann',
    programName: 'A program',
    workspaceName: 'A merchant',
    sentBy: `manager@${merchant.workspace.slug}.example`,
    link: expect.stringMatching(/\?via=ann$/),
    portalUrl: `${inject('baseUrl')}/portal`,
  })
  expect(Object.keys(mails[0]?.details ?? {}).toSorted()).toEqual(
    Object.keys(mails[2]?.details ?? {}).toSorted(),
  )
  const entries = (await database.audit(merchant)).filter(
    ({ action }) => action === 'partners.mailed',
  )
  expect(entries).toMatchObject([{ details: { subject: 'We’ve moved', recipients: 2 } }])
  expect((await pages.get('/audit')).text).toContain('sent “We’ve moved” to 2 partners')
})

test('who is banned, was sent it or has unsubscribed is named, and gets none, also if that was since the page was shown', async () => {
  const { merchant, ask, send } = await createImported()
  const { id } = merchant.workspace
  await database.query(
    "update partners set status = 'banned' where workspace_id = $1 and slug = 'ann'",
    [id],
  )
  await database.query(
    "insert into mail_optouts (workspace_id, email, created_at) select $1, email, now() from partners where workspace_id = $1 and slug = 'ben'",
    [id],
  )
  const shown = await ask('ann', 'ben', 'cem', 'maya')
  expect(shown.text).toContain('Send 1 partner the “We’ve moved” email?')
  expect(shown.text).toContain('3 partners will not get it')
  expect(shown.text).toMatch(/1 partner: banned \( ann \)/)
  expect(shown.text).toMatch(/1 partner: got it, or a welcome email, before \( cem \)/)
  expect(shown.text).toMatch(/1 partner: unsubscribed from your messages \( ben \)/)
  expect((await send('ann', 'ben', 'cem', 'maya')).status).toBe(303)
  expect(await mailed(merchant)).toEqual(['cem', 'maya'])
  expect((await ask('ann', 'cem', 'maya')).text).toContain('Nobody gets this email')
})

test('members send none, and nobody sends any to partners of another workspace', async () => {
  const ours = await createImported()
  const theirs = await createImported()
  const member = await openPages(ours.merchant, 'member')
  for (const path of ['/partners/moved', '/partners/moved/send'])
    expect((await member.post(path, ours.fields('ann'))).status).toBe(403)
  expect((await ours.pages.post('/partners/moved/send', theirs.fields('ann'))).status).toBe(303)
  expect(await mailed(theirs.merchant)).toEqual(['cem'])
  expect((await ours.pages.post('/partners/moved', {})).status).toBe(400)
})
