import { describe, expect, test } from 'vitest'
import { PARTNER_MAIL_KINDS } from '../../lib/mail/mails.ts'
import { sampleDetails } from '../../lib/mail/texts/samples.ts'
import { outboxContent } from '../../lib/mail/texts/templates.tsx'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'
import { paying, setRules } from '../support/reward-rules.ts'

const database = useDatabase()

describe('the preview of emails', () => {
  test('lists every mail to partners, with the name of the program in its subject', async () => {
    const merchant = await createMerchant()
    await database.query(`update programs set name = 'Friends & Co.' where workspace_id = $1`, [
      merchant.workspace.id,
    ])
    const { html, text } = await (await openPages(merchant)).get('/mails/preview')
    for (const kind of PARTNER_MAIL_KINDS) expect(html).toContain(`/mails/preview/${kind}"`)
    expect(text).toContain('You are a partner of Friends & Co.')
  })

  test.each(PARTNER_MAIL_KINDS)(
    'shows the mail %s as HTML in a sandbox, and as text',
    async (kind) => {
      const merchant = await createMerchant()
      const pages = await openPages(merchant)
      const page = await pages.get(`/mails/preview/${kind}`)
      expect(page.status).toBe(200)
      expect(page.html).toMatch(/<iframe [^>]*sandbox=""/)
      expect(page.headers.get('Content-Security-Policy')).toContain("frame-src 'self'")

      const mail = await pages.get(`/mails/preview/${kind}/html`)
      expect(mail.status).toBe(200)
      expect(mail.headers.get('Content-Security-Policy')).toBe(
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox",
      )
      expect(mail.headers.get('Cache-Control')).toBe('no-store')
      expect(mail.html).toMatch(/^<!doctype html><html/)
      expect(mail.html).not.toContain('<script')
    },
  )

  test('shows the brand of the newest program, and loads only its logo', async () => {
    const merchant = await createMerchant()
    const pages = await openPages(merchant)
    const logoUrl = 'https://cdn.pine-notes.com/logo.png'
    await pages.post(`/programs/${merchant.programId}/branding`, { brandVersion: '0', logoUrl })
    const mail = await pages.get('/mails/preview/welcome/html')
    expect(mail.headers.get('Content-Security-Policy')).toBe(
      "default-src 'none'; img-src https://cdn.pine-notes.com; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox",
    )
    expect(mail.html).toContain(`<img src="${logoUrl}" alt="A program"`)
    expect((await pages.get('/mails/preview/payout_account/html')).html).not.toContain(logoUrl)
  })

  test('shows what partners of the newest program earn, unless another platform pays', async () => {
    const merchant = await createMerchant()
    const pages = await openPages(merchant)
    const reward = async () =>
      /What you earn: [^<]*<bdi>(.*?)<.bdi>/.exec(
        (await pages.get('/mails/preview/partner_invitation/html')).html,
      )?.[1]
    await setRules(database, merchant.programId, [paying(30, { fact: 'product', in: ['a'] })])
    expect(await reward()).toBe('30% for “30 percent”, 10% for everything else')
    await database.query(
      `update programs set mode = 'shadow', shadow_since = now() where id = $1`,
      [merchant.programId],
    )
    expect(await reward()).toBeUndefined()
  })

  test('is for managers, and has no mail that managers get', async () => {
    const merchant = await createMerchant()
    const member = await openPages(merchant, 'member')
    for (const path of ['', '/welcome', '/welcome/html']) {
      expect((await member.get(`/mails/preview${path}`)).status).toBe(403)
    }
    const manager = await openPages(merchant)
    for (const path of ['/payout_report', '/sign_in', '/constructor/html']) {
      expect((await manager.get(`/mails/preview${path}`)).status).toBe(404)
    }
  })
})

describe('the text of an email', () => {
  test('is changed by a form, seen in the preview, and reset', async () => {
    const pages = await openPages(await createMerchant())
    const path = '/mails/preview/welcome'
    const fields = {
      version: '0',
      subject: 'Hi {partnerName}',
      intro: 'One <b>\r\ntwo\r\n\r\n{programName}',
    }
    expect(await pages.post(path, fields)).toMatchObject({ status: 303 })
    const page = await pages.get(`${path}?done=saved`)
    expect(page.text).toContain('Hi Maya Chen')
    expect((await pages.get(`${path}/html`)).html).toContain('<p>One &lt;b&gt;<br/>two</p><p><bdi>')
    expect((await pages.get('/mails/preview')).text).toContain('Changed')

    expect(await pages.post(path, { version: '1', reset: 'on' })).toMatchObject({ status: 303 })
    expect((await pages.get(path)).text).toContain('You are a partner of')
  })

  test('stays in the form when it is refused, or when another manager was faster', async () => {
    const pages = await openPages(await createMerchant())
    const path = '/mails/preview/welcome'
    const wrong = await pages.post(path, { version: '0', subject: '{nobody}', intro: 'Mine' })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('There is no placeholder {nobody}.')
    expect(wrong.html).toContain('Mine</textarea>')
    await pages.post(path, { version: '0', subject: 'Theirs', intro: 'Theirs' })
    const late = await pages.post(path, { version: '0', subject: 'Mine', intro: 'Mine' })
    expect(late.status).toBe(409)
    expect(late.text).toContain('Another manager has changed this text')
    expect((await pages.post('/mails/preview/payout_account', { version: '0' })).status).toBe(404)
  })
})

describe('a test email', () => {
  test.each(PARTNER_MAIL_KINDS)(
    'of the kind %s is queued for the manager who asks, and nobody else',
    async (kind) => {
      const merchant = await createMerchant()
      const pages = await openPages(merchant)
      const sent = await pages.post(`/mails/preview/${kind}/test`, {
        recipient: 'victim@x.example',
      })
      expect(sent).toMatchObject({ status: 303, location: expect.stringContaining('?done=test') })
      const rows = await database.query(
        'select kind, recipient, occasion, partner_id, program_id, is_held from mails where workspace_id = $1',
        [merchant.workspace.id],
      )
      const recipient = `manager@${merchant.workspace.slug}.example`
      expect(rows).toEqual([
        {
          kind,
          recipient,
          occasion: 'test',
          partner_id: null,
          program_id: merchant.programId,
          is_held: false,
        },
      ])
    },
  )

  test('is refused after ten within an hour, also at the same time', async () => {
    const merchant = await createMerchant()
    const pages = await openPages(merchant)
    const path = '/mails/preview/welcome/test'
    const answers = await Promise.all(Array.from({ length: 12 }, () => pages.post(path, {})))
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(10)
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(2)
    expect(refused[0]?.text).toContain('You have sent 10 test emails within an hour.')
    await database.query(
      `update mails set created_at = now() - interval '61 minutes' where workspace_id = $1`,
      [merchant.workspace.id],
    )
    expect((await pages.post(path, {})).status).toBe(303)
  })

  test('is for managers, from this site', async () => {
    const merchant = await createMerchant()
    const path = '/mails/preview/welcome/test'
    expect((await (await openPages(merchant, 'member')).post(path, {})).status).toBe(403)
    const manager = await openPages(merchant)
    expect((await manager.post(path, {}, { Origin: 'https://evil.example' })).status).toBe(403)
    expect((await manager.post('/mails/preview/sign_in/test', {})).status).toBe(404)
    const rows = await database.query('select id from mails where workspace_id = $1', [
      merchant.workspace.id,
    ])
    expect(rows).toEqual([])
  })

  test('says so in its subject', () => {
    const facts = {
      workspaceName: 'Pine Notes',
      program: undefined,
      managerEmail: 'ann@pine.example',
      origin: 'https://track.example',
    }
    const details = sampleDetails('payout_sent', facts)
    const mail = { kind: 'payout_sent', details, isTest: true } as const
    expect(outboxContent(mail).subject).toBe('Test: Payout of 124.50 USD from Pine Notes')
  })
})

test('a workspace without a program has its own name in the samples', () => {
  const facts = {
    workspaceName: 'Pine Notes',
    program: undefined,
    managerEmail: 'ann@pine.example',
    origin: 'https://track.example',
  }
  expect(sampleDetails('welcome', facts)).toMatchObject({
    programName: 'Pine Notes',
    link: 'https://shop.example/?via=maya',
  })
})
