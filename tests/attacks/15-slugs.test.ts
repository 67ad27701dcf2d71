/**
 * A partner chooses slugs in the portal: none that passes for the merchant or for another partner.
 */
import { describe, expect, inject, test } from 'vitest'
import { useDatabase } from '../support/merchant.ts'
import { browse } from '../support/pages.ts'
import { createPartner } from '../support/portal.ts'

const database = useDatabase()

/** A partner "eve", with the others of the program, whose slugs are these. */
const createEve = async (...slugs: string[]) => {
  const { merchant, partnerId, cookie } = await createPartner({}, 'eve')
  const { seed, workspace, programId } = merchant
  await Promise.all(
    slugs.map((slug, n) =>
      seed.addPartner(workspace.id, programId, { slug, email: `${n}@x.example` }),
    ),
  )
  const portal = browse(await cookie(), inject('baseUrl'), '/portal')
  return {
    merchant,
    partnerId,
    add: (slug: string) => portal.post('/links', { program: programId, slug }),
    slugs: async () => {
      const links = await database.query<{ slug: string }>(
        'select slug from links where partner_id = $1 order by id',
        [partnerId],
      )
      return links.map((link) => link.slug)
    },
  }
}

test.each([
  ['two dots', '..'],
  ['a dot', '.'],
  ['a path', '../app'],
  ['a URL', 'https://evil.example'],
  ['a query', 'eve?x=1'],
  ['a space', 'eve shop'],
  ['an underscore', 'eve_shop'],
  ['an address', 'eve@evil.example'],
  ['bidi overrides', '\u202eanom'],
  ['an isolate', '\u2066mona\u2069'],
  ['an invisible character', 'mo\u200bna'],
  ['a soft hyphen', 'mo\u00adna'],
  ['Cyrillic letters', 'mоnа'],
  ['full-width letters', 'ｍｏｎａ'],
  ['an accent', 'möna'],
  ['a combining accent', 'mo\u0308na'],
  ['an emoji', 'mona🌲'],
  ['a hyphen at its beginning', '-eve'],
  ['a hyphen at its end', 'eve-'],
  ['two hyphens', 'eve--shop'],
  ['markup', '<b>eve</b>'],
])('not one with %s: %j', async (_, slug) => {
  const { add, slugs } = await createEve()
  const refused = await add(slug)
  expect([refused.status, refused.html]).toEqual([400, expect.stringContaining('id="slug-error"')])
  expect(await slugs()).toEqual([])
})

test.each([
  ['admin'],
  ['Admin'],
  ['ADM1N'],
  ['ad-min'],
  ['support'],
  ['0fficial'],
  ['www'],
  ['vvvvvv'],
  ['null'],
  ['api'],
  ['sign-in'],
])('not one that passes for the merchant: %s', async (slug) => {
  const { add, slugs } = await createEve()
  const refused = await add(slug)
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('such as')])
  expect(await slugs()).toEqual([])
})

describe('not one that looks like another partner’s', () => {
  test.each([
    ['mona-lee', 'mona-1ee'],
    ['mona-lee', 'monalee'],
    ['monalee', 'mona-lee'],
    ['mona-lee', 'm-on-ale-e'],
    ['mona', 'rnona'],
    ['wanda', 'vvanda'],
    ['leo', 'le0'],
    ['leo', 'Ieo'],
    ['mia', 'mla'],
    ['möna', 'mona'],
    ['mo\u0308na', 'mona'],
    ['моnа', 'mona'],
    ['ｍｏｎａ', 'mona'],
    ['mo\u200bna', 'mona'],
    ['MONA', 'rnona'],
    ['mona_lee', 'mona-lee'],
    ['mona.lee', 'monalee'],
  ])('“%s”: %s', async (theirs, slug) => {
    const { add, slugs } = await createEve(theirs)
    const refused = await add(slug)
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('such as')])
    expect(await slugs()).toEqual([])
  })

  test('of a further link', async () => {
    const { merchant, add, slugs } = await createEve('mona')
    const manager = await merchant.asManager()
    const [mona] = await database.query<{ id: string }>(
      "select id from partners where program_id = $1 and slug = 'mona'",
      [merchant.programId],
    )
    await manager.post(`/partners/${mona?.id}/links`, { slug: 'leonie' })
    expect((await add('le0nie')).status).toBe(409)
    expect(await slugs()).toEqual([])
  })
})

test.each([
  ['its own', 'e-v-e'],
  ['the start of another one', 'monale'],
  ['another one with more', 'mona-lee-2'],
  ['digits', '2027'],
  ['capitals, in lower case', 'Eve-Summer'],
])('but one with %s: %s', async (_, slug) => {
  const { add, slugs, merchant } = await createEve('mona-lee', 'leo')
  expect((await add(slug)).status).toBe(303)
  expect(await slugs()).toEqual([slug.toLowerCase()])
  expect(await merchant.click(slug)).toMatch(/^clk_/)
})

test('a look-alike in another program is another program’s', async () => {
  const { add, slugs, merchant } = await createEve()
  const other = await merchant.seed.addProgram(merchant.workspace.id, { name: 'Other' })
  await merchant.seed.addPartner(merchant.workspace.id, other, {
    slug: 'mona',
    email: 'm@x.example',
  })
  expect((await add('rnona')).status).toBe(303)
  expect(await slugs()).toEqual(['rnona'])
})

test('a manager gives a partner any slug', async () => {
  const { merchant, partnerId, slugs } = await createEve('mona')
  const manager = await merchant.asManager()
  for (const slug of ['rnona', 'admin', 'Möna 2'])
    expect((await manager.post(`/partners/${partnerId}/links`, { slug })).status).toBe(201)
  expect(await slugs()).toEqual(['rnona', 'admin', 'Möna 2'])
})
