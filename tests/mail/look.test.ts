/** How mails look: on a phone and on a desktop, light and dark, without images. */
import axe from 'axe-core'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PARTNER_MAIL_KINDS, UNSUBSCRIBABLE_KINDS } from '../../lib/mail/mails.ts'
import { signInDraft } from '../../lib/mail/texts/account-texts.tsx'
import { render } from '../../lib/mail/texts/compose.tsx'
import type { MailContent } from '../../lib/mail/texts/rendered-mail.ts'
import type { MailedReward } from '../../lib/mail/texts/reward-lines.tsx'
import { sampleDetails } from '../../lib/mail/texts/samples.ts'
import { outboxContent } from '../../lib/mail/texts/templates.tsx'
import { sharedBrowser } from '../support/browser.ts'

const SITE = 'https://a-shop-with-a-very-long-name-that-no-line-of-a-phone-can-hold.example/pricing'
const FACTS = {
  workspaceName: 'Pine Notes',
  program: { id: 'x', name: 'Friends of Pine Notes', siteUrl: SITE },
  managerEmail: 'ann.of.the.partner.program@a-company-with-a-long-name.example',
  origin: 'https://track.example',
}
const BRANDS = [
  {
    logoUrl: 'https://cdn.pine.example/logo.png',
    accentColor: '#0a0a5a',
    supportEmail: 'help@pine.example',
  },
  { logoUrl: null, accentColor: '#ffd400', supportEmail: null },
]
const unsubscribeUrl = `https://track.example/unsubscribe/${'0'.repeat(36)}.${'a'.repeat(64)}`
const canEnd = (kind: string) => (UNSUBSCRIBABLE_KINDS as readonly string[]).includes(kind)
const RULE_NAME = 'A-rule-whose-name-is-longer-than-a-line-of-a-phone-and-has-no-spaces'
const REWARD: MailedReward = {
  reward: {
    kind: 'percent',
    basisPoints: 2_000,
    rules: [
      {
        name: RULE_NAME,
        when: { all: [{ fact: 'quantity', atLeast: 2 }] },
        pay: { kind: 'flat', amountCents: 500, currency: 'EUR', per: 'unit' },
      },
    ],
  },
  rewardInterval: 'recurring',
  rewardDurationMonths: 12,
  leadReward: { kind: 'flat', amountCents: 500, currency: 'EUR' },
}
const moved = sampleDetails('moved', FACTS)

/** Each mail to a partner, with a logo and without, and the one with which people sign in. */
const MAILS: { name: string; mail: MailContent }[] = [
  ...BRANDS.flatMap((brand, n) =>
    PARTNER_MAIL_KINDS.map((kind) => ({
      name: `${kind} ${n}`,
      mail: outboxContent({
        kind,
        details: sampleDetails(kind, FACTS),
        brand,
        reward: REWARD,
        ...(canEnd(kind) && { unsubscribeUrl }),
      }),
    })),
  ),
  ...[{ formerLink: undefined }, { formerLink: { url: `${SITE}?fpr=maya`, works: false } }].map(
    (links, n) => ({
      name: `moved, link ${n}`,
      mail: outboxContent({ kind: 'moved', details: { ...moved, ...links }, unsubscribeUrl }),
    }),
  ),
  {
    name: 'message',
    mail: outboxContent({
      kind: 'message',
      details: moved,
      edited: {
        subject: 'News of {programName}',
        intro: 'Hello {partnerName},\n\nwe ship to Iceland now.',
      },
      unsubscribeUrl,
    }),
  },
  {
    name: 'sign-in link',
    mail: render(
      signInDraft({
        url: `https://track.example/auth/confirm?token=${'x'.repeat(64)}`,
        expiresInMinutes: 10,
      }),
    ),
  },
]

test.each(MAILS)(
  '$name has a language, a title, a preview that is not its subject, and the same words in plain text',
  ({ mail }) => {
    const { subject, html, text } = mail
    const [, title = ''] = /<title>(.*?)<\/title>/.exec(html) ?? []
    const [, preview = ''] =
      /<body[^>]*><div style="display:none[^"]*">(.*?)<\/div>/.exec(html) ?? []
    expect(title).toBe(subject)
    expect(html).toMatch(/<html lang="[a-z]{2}/)
    expect(preview.length).toBeGreaterThan(20)
    expect(preview.length).toBeLessThan(141)
    expect(preview).not.toBe(subject)
    expect(text).not.toContain('undefined')
    for (const [, url = ''] of html.matchAll(/<a href="([^"]*)"/g))
      expect(text).toContain(`\n${url}\n`)
    // Each paragraph is one line, and its links have a line of their own: no line of markup is
    // left.
    expect(text).not.toMatch(/<[a-z]|&[a-z]+;|\n{3}| \n/)
  },
)

test('a message previews what was written after the greeting', () => {
  expect(MAILS.find(({ name }) => name === 'message')?.mail.html).toContain(
    '>we ship to Iceland now.</div>',
  )
})

describe('in Chromium', { tags: 'thorough' }, () => {
  let context: BrowserContext
  let page: Page
  beforeAll(async () => {
    context = await (await sharedBrowser()).newContext({ javaScriptEnabled: true })
    // Images are off.
    await context.route(/^https?:/, (route) => route.abort())
    page = await context.newPage()
    const articles = MAILS.map(({ name, mail }) => {
      const [, style = '', content = ''] =
        /<body style="([^"]*)">(.*)<\/body>/s.exec(mail.html) ?? []
      return `<article aria-label="${name}" style="${style}">${content}</article>`
    })
    await page.setContent(
      `<!doctype html><html lang="en"><head><title>Mails</title><style>:root{color-scheme:light dark}html{background:Canvas}body{margin:0}</style></head><body><main>${articles.join('')}</main></body></html>`,
    )
    await page.evaluate(axe.source)
  })
  afterAll(() => context.close())

  test.each([375, 640])('no mail is wider than a screen of %i pixels', async (width) => {
    await page.setViewportSize({ width, height: 800 })
    const wide = await page.evaluate(`[...document.querySelectorAll('article')]
      .filter((article) => article.scrollWidth > document.documentElement.clientWidth)
      .map((article) => article.getAttribute('aria-label'))`)
    expect(wide).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
  })

  test.each(['light', 'dark'] as const)(
    'all of it can be read in a %s scheme, and images have a text',
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme })
      const found = await page.evaluate(`axe.run(document, {
      runOnly: ['color-contrast', 'image-alt', 'link-name'],
    }).then(({ violations, passes }) => ({
      violations: violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)),
      passes: passes.map(({ id }) => id).sort(),
    }))`)
      expect(found).toEqual({
        violations: [],
        passes: ['color-contrast', 'image-alt', 'link-name'],
      })
    },
  )

  test('a logo that is not loaded leaves the name of the program', async () => {
    const box = await page.locator('article[aria-label="moved 0"] img').boundingBox()
    expect(box?.width).toBeGreaterThan(100)
    expect(await page.locator('article[aria-label="moved 0"] img').getAttribute('alt')).toBe(
      'Friends of Pine Notes',
    )
  })
})
