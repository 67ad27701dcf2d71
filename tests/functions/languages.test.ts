/** The languages of the pages of partners: chosen by the browser, or by the reader. */
import { describe, expect, inject, test } from 'vitest'
import { LANGUAGE_NAMES, LANGUAGES, type Language } from '../../lib/languages/languages.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { fromSomewhere, submit } from '../support/people.ts'
import { createPartner } from '../support/portal.ts'

const database = useDatabase()

const HEADINGS: Record<Language, string> = {
  en: 'Your programs',
  de: 'Ihre Programme',
  fr: 'Vos programmes',
  es: 'Sus programas',
  pt: 'Seus programas',
}

/** What a page says to whoever sends these headers. */
const ask = async (path: string, headers: Record<string, string>) => {
  const response = await fetch(inject('baseUrl') + path, {
    headers: { ...fromSomewhere(), ...headers },
    redirect: 'manual',
  })
  const html = await response.text()
  return { response, html, lang: /<html lang="([^"]*)"/.exec(html)?.[1] }
}

const choose = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  submit(`${inject('baseUrl')}/auth/language`, fields, {
    Origin: inject('baseUrl'),
    ...fromSomewhere(),
    ...headers,
  })

test('forty concurrent readers get a page each in their language, with its numbers and days', async () => {
  const { merchant, cookie } = await createPartner({ program: { holding_days: 0 } })
  await merchant.sale({
    clickId: await merchant.click('ann'),
    amountCents: 617_280,
    currency: 'EUR',
  })
  const session = await cookie()
  const amounts: Record<Language, string> = {
    en: '€1,234.56',
    de: '1.234,56 €',
    fr: '1 234,56 €',
    es: '1234,56 €',
    pt: '€ 1.234,56',
  }
  const asked = Array.from({ length: 8 }, () => LANGUAGES).flat()
  const pages = await Promise.all(
    asked.map((language) => ask('/portal', { Cookie: session, 'Accept-Language': language })),
  )
  pages.forEach(({ html, lang, response }, index) => {
    const language = asked[index] ?? 'en'
    expect(lang).toBe(language)
    expect(html).toContain(`<h1>${HEADINGS[language]}</h1>`)
    expect(html.replace(/[\u00a0\u202f]/g, ' ')).toContain(amounts[language])
    for (const other of LANGUAGES.filter((one) => one !== language))
      expect(html).not.toContain(HEADINGS[other])
    expect(response.headers.get('Vary')).toContain('Accept-Language')
  })
})

describe('a language that a reader chooses', () => {
  test('counts more than the browser’s, on all pages of partners, and none of managers', async () => {
    const { merchant, email, cookie } = await createPartner()
    await merchant.seed.addMember(merchant.workspace.id, email)
    const chosen = await choose({ language: 'fr', next: '/portal?days=90' })
    expect([chosen.status, chosen.headers.get('Location')]).toEqual([303, '/portal?days=90'])
    const [set = ''] = chosen.headers.getSetCookie()
    expect(set).toMatch(
      /^tributary\.language=fr; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    const headers = { Cookie: `${await cookie()}; ${set.split(';')[0]}`, 'Accept-Language': 'de' }
    const langs = await Promise.all(
      [
        '/portal',
        '/portal/links',
        '/portal/none',
        `/join/${merchant.programId}`,
        '/sign-in',
        '/unsubscribe/x',
        '/app',
      ].map(async (path) => [path, (await ask(path, headers)).lang]),
    )
    expect(langs.filter(([, lang]) => lang !== 'fr')).toEqual([['/app', 'en']])
    expect((await ask('/portal/none', headers)).html).toContain('Cette page n’existe pas.')
    const { html } = await ask('/portal', headers)
    for (const language of LANGUAGES) expect(html).toContain(`lang="${language}"`)
    expect(html).toMatch(new RegExp(`aria-current="true"[^>]*>\\s*${LANGUAGE_NAMES.fr}`))
  })

  test.each([
    {
      case: 'one that there is not',
      fields: { language: 'xx', next: '/portal' },
      location: '/portal',
    },
    { case: 'none', fields: {}, location: '/app' },
  ])('is not remembered if it is $case', async ({ fields, location }) => {
    const { status, headers } = await choose(fields as Record<string, string>)
    expect([status, headers.get('Location'), headers.getSetCookie()]).toEqual([303, location, []])
  })

  test('leads to no other site, and is not chosen from one', async () => {
    for (const next of ['//evil.example', 'https://evil.example/', '/\\evil.example'])
      expect((await choose({ language: 'de', next })).headers.get('Location')).toBe('/app')
    const foreign = await choose(
      { language: 'de', next: '/portal' },
      { Origin: 'https://evil.example' },
    )
    expect([foreign.status, foreign.headers.getSetCookie()]).toEqual([403, []])
  })

  test('in a cookie that somebody wrote by hand is not one', async () => {
    for (const value of ['xx', '%00', '__proto__', 'de;fr', '"de"'])
      expect((await ask('/sign-in', { Cookie: `tributary.language=${value}` })).lang).toMatch(
        /^(en|de)$/,
      )
  })
})

test('what the merchant wrote stays as it is', async () => {
  const merchant = await createMerchant()
  await database.query(
    `insert into join_pages (program_id, workspace_id, is_open, intro, questions, approves)
     values ($1, $2, true, 'We pay well.', '["Which topics?"]', false)`,
    [merchant.programId, merchant.workspace.id],
  )
  const { html } = await ask(`/join/${merchant.programId}`, { 'Accept-Language': 'de' })
  expect(html).toContain('We pay well.')
  expect(html).toContain('Was Sie verdienen')
  expect(html).toContain('20 % von jedem Verkauf')
})
