import { expect, test } from 'vitest'
import { linkIn } from '../../../islands/import/rules/links.ts'

/** A slow machine takes milliseconds. Backtracking patterns take seconds. */
const SOON_MS = 500

test.each([
  { cell: 'maya', slug: 'maya' },
  { cell: 'maya.b-2', slug: 'maya.b-2' },
  { cell: 'https://shop.example?via=maya', slug: 'maya' },
  { cell: 'https://shop.example/?ref=maya', slug: 'maya' },
  { cell: 'https://shop.example/pricing?utm_source=x&via=Maya#top', slug: 'Maya' },
  { cell: 'https://shop.example/?fpr=bj%C3%B8rn', slug: 'bjørn' },
  { cell: 'https://shop.example/?gspk=Zmxv&via=flo', slug: 'flo' },
  { cell: 'https://shop.example/?partnerid=maya', slug: 'maya' },
  { cell: 'https://go.shop.example/maya', slug: 'maya' },
  { cell: 'https://go.shop.example/r/maya/?utm_source=x', slug: 'maya' },
  { cell: 'shop.example/?via=maya', slug: 'maya' },
  { cell: '?via=maya', slug: 'maya' },
  { cell: 'via=maya', slug: 'maya' },
  { cell: 'http://a.example/?via=one, http://a.example/?via=two', slug: 'one' },
  { cell: 'https://a.example/?ids=1,2&via=one; b.example/?via=two', slug: 'one' },
  { cell: 'https://a.example/?ids=1,2&via=one', slug: 'one' },
  { cell: '', slug: '' },
  { cell: 'https://shop.example/', slug: null },
  // Links of other platforms. See docs/imports.md.
  { cell: 'https://shop.example/p?a_aid=maya&a_bid=1', slug: 'maya' },
  { cell: 'https://shop.example/?deal=maya&x=1', slug: 'maya' },
  { cell: 'https://shop.example/?atp=maya&lang=en', slug: 'maya' },
  { cell: 'https://shop.example/?a=maya&tap_s=12-abc', slug: 'maya' },
  { cell: 'https://shop.example/?a=maya', slug: null },
  { cell: 'https://shop.example/?fp_ref=maya&utm_source=x', slug: 'maya' },
  { cell: 'https://shop.example/?_from=maya', slug: 'maya' },
  { cell: 'https://shop.example/?_by=maya', slug: 'maya' },
  { cell: 'https://shop.example/?_go=maya', slug: 'maya' },
  { cell: 'https://shop.example/?rfsn=123.abc', slug: '123.abc' },
  { cell: 'https://shop.example/?afmc=maya', slug: 'maya' },
  { cell: 'https://shop.example/?sca_ref=4412.Xy', slug: '4412.Xy' },
  { cell: 'https://shop.example/?ps_partner_key=bWF5YQ==&ps_xid=1', slug: 'maya' },
  { cell: 'https://shop.example/?ps_partner_key=%%%', slug: null },
  // The snippet reads fragments, too.
  { cell: 'https://shop.example/#via=maya', slug: 'maya' },
  { cell: 'https://shop.example/#/pricing?via=maya', slug: 'maya' },
  { cell: 'https://shop.example/#a=maya', slug: 'maya' },
  { cell: '#via=maya', slug: 'maya' },
  { cell: '#top', slug: null },
  // Of a page of the site, no slug is made up.
  { cell: 'https://shop.example/en/', slug: null },
  { cell: 'https://shop.example/pages/pricing', slug: null },
  { cell: 'https://dub.sh/maya?src=x', slug: null },
  { cell: 'https://dub.sh/maya', slug: 'maya' },
  { cell: 'john.doe/', slug: null },
  { cell: 'john.doe', slug: 'john.doe' },
  // As the snippet decodes them.
  { cell: 'may%20a', slug: 'may a' },
  { cell: 'a+b', slug: 'a b' },
  { cell: 'https://shop.example/?via=a+b', slug: 'a b' },
  { cell: 'https://go.shop.example/a+b%20c', slug: 'a+b c' },
  { cell: '100%', slug: '100%' },
  { cell: 'R&D', slug: 'R&D' },
])('the slug in "$cell" is "$slug"', ({ cell, slug }) => {
  expect(linkIn(cell)?.slug ?? null).toBe(slug)
})

const via = { in: 'parameter', name: 'via' }

test.each([
  { cell: 'maya', place: null, url: null },
  { cell: '?Ref=maya', place: { in: 'parameter', name: 'Ref' }, url: null },
  { cell: 'via=maya', place: via, url: null },
  { cell: 'shop.example?via=maya', place: via, url: 'https://shop.example/?via=maya' },
  {
    cell: 'https://a.example/?via=maya; https://b.example/?via=leo',
    place: via,
    url: 'https://a.example/?via=maya',
  },
  { cell: 'https://a.example/?partnerid=maya', place: { in: 'parameter', name: 'partnerid' } },
  { cell: 'https://a.example/#a=maya', place: { in: 'parameter', name: 'a' } },
  {
    cell: 'https://a.example/?ps_partner_key=bWF5YQ==',
    place: { in: 'encoded', name: 'ps_partner_key' },
  },
  { cell: 'https://go.a.example/maya', place: { in: 'path' } },
])('the link in “$cell” has its slug in $place', ({ cell, place, url = cell }) => {
  expect(linkIn(cell)).toEqual({ slug: 'maya', place, url })
})

test.each([
  { case: 'commas, then points', cell: ','.repeat(250) + '.'.repeat(250) },
  { case: 'commas and points in turn', cell: ',.'.repeat(500) },
  { case: 'letters, commas, points', cell: 'a'.repeat(300) + ','.repeat(300) + '.'.repeat(400) },
  { case: 'points alone', cell: '.'.repeat(1_000) },
  { case: 'words with a point each', cell: 'a.b '.repeat(250) },
  { case: 'an unfinished host', cell: `${'a-.'.repeat(333)}!` },
])('a hostile cell is parsed for a slug quickly: $case', ({ cell }) => {
  const begun = performance.now()
  linkIn(cell)
  expect(performance.now() - begun).toBeLessThan(SOON_MS)
})
