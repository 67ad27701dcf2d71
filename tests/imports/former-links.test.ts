import { describe, expect, test } from 'vitest'
import {
  formerLinkOf,
  formOf,
  formsOf,
  parameterOf,
  unconfirmedMessage,
  worksIf,
} from '../../lib/imports/partners/former-links.ts'

const SITE = 'https://shop.example/pricing'
const of = (formerLink: string | null, slug = 'maya', ...otherSlugs: string[]) => ({
  formerLink,
  slug,
  otherSlugs,
})

test.each([
  { case: 'a parameter of the site', link: 'https://shop.example/?ref=maya', form: '?ref' },
  {
    case: 'a parameter beside others',
    link: 'https://www.shop.example/a?utm_source=x&fpr=Maya#top',
    form: '?fpr',
  },
  { case: 'a parameter in the fragment', link: 'https://shop.example/#a_aid=maya', form: '?a_aid' },
  {
    case: 'via, which is always read',
    link: 'https://shop.example/?ref=maya&via=maya',
    form: '?via',
  },
  { case: 'a subdomain', link: 'https://go.shop.example/?ref=maya', form: '?ref' },
  { case: 'the path', link: 'https://go.shop.example/r/maya', form: '/' },
  { case: 'an escaped path', link: 'https://shop.example/may%C3%A9', slug: 'mayé', form: '/' },
  {
    case: 'a further slug',
    link: 'https://shop.example/?ref=spring',
    more: ['spring'],
    form: '?ref',
  },
  { case: 'another site', link: 'https://tolt.example/?via=maya', form: '//tolt.example?via' },
  { case: 'a path of another site', link: 'https://tolt.example/maya', form: '//tolt.example/' },
  {
    case: 'a site that ends in the same way',
    link: 'https://myshop.example/?ref=maya',
    form: '//myshop.example?ref',
  },
  { case: 'a slug that is somebody else’s', link: 'https://shop.example/?ref=leo', form: null },
  { case: 'an encoded slug', link: 'https://shop.example/?gspk=bWF5YQ==', form: null },
  { case: 'a broken escape', link: 'https://shop.example/%E0%A4%A/maya', form: '/' },
  { case: 'no URL', link: 'maya', form: null },
])('a link with $case is of the form $form', ({ link, form, slug = 'maya', more = [] }) => {
  expect(formOf(link, SITE, [slug, ...more])).toBe(form)
})

describe('the link of a partner', () => {
  const forms = new Map([
    ['?ref', true],
    ['/', false],
  ])
  test.each([
    { case: 'works if its form does', link: 'https://shop.example/?ref=maya', works: true },
    { case: 'works by via', link: 'https://shop.example/?via=maya', works: true },
    { case: 'does not if its form does not', link: 'https://shop.example/maya', works: false },
    { case: 'does not if nobody knows', link: 'https://shop.example/?fpr=maya', works: false },
    {
      case: 'does not if another partner has the slug',
      link: 'https://shop.example/?ref=leo',
      works: false,
    },
  ])('$case', ({ link, works }) => {
    expect(formerLinkOf(of(link), SITE, forms)).toEqual({ url: link, works })
  })
  test('is left out if it is not known', () => {
    expect(formerLinkOf(of(null), SITE, forms)).toBeUndefined()
  })
})

test('asks about each form once, the most frequent first, and not about via or links that credit nobody', () => {
  const links = ['?via=maya', '?fpr=maya', 'maya', '?fpr=maya', '?ref=leo'].map((end) =>
    of(`https://shop.example/${end}`),
  )
  const forms = formsOf([...links, of(null)], SITE, new Map([['/', false]]))
  expect(forms).toEqual([
    { form: '?fpr', links: 2, example: 'https://shop.example/?fpr=maya', works: null },
    { form: '/', links: 1, example: 'https://shop.example/maya', works: false },
  ])
  expect(unconfirmedMessage(forms)).toContain('?fpr (2), / (1)')
  expect(['?fpr', '/', '//tolt.example/'].map(worksIf).join(' ')).toMatch(
    /data-params="fpr".*redirects.*another site/,
  )
})

test.each([
  { url: 'https://shop.example/?ref=Maya', parameter: 'ref' },
  { url: 'https://shop.example/#/?ref=maya', parameter: 'ref' },
  { url: 'https://shop.example/?via=maya', parameter: null },
  { url: 'https://shop.example/?ref=maya&via=maya', parameter: null },
  { url: 'https://shop.example/?ref=leo', parameter: null },
  { url: `https://shop.example/?${'x'.repeat(101)}=maya`, parameter: null },
  { url: 'https://shop.example/?a%20b=maya', parameter: null },
  { url: 'nonsense', parameter: null },
  { url: null, parameter: null },
])('a visit at $url shows that the tag reads $parameter', ({ url, parameter }) => {
  expect(parameterOf(url, ['maya'])).toBe(parameter)
})
