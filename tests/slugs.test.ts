import { expect, test } from 'vitest'
import { makeSlug, partnerLink, slugKey, suffixedSlug } from '../lib/values/slugs.ts'

test.each([
  { case: 'case is ignored', slug: 'Maya', key: 'maya' },
  { case: 'surrounding white space is ignored', slug: ' maya ', key: 'maya' },
  { case: 'an accent is kept, in one Unicode form', slug: 'Jose\u0301', key: 'josé' },
  { case: 'other platforms’ punctuation is kept', slug: 'maya_b-2.x', key: 'maya_b-2.x' },
])('$case', ({ slug, key }) => {
  expect(slugKey(slug)).toBe(key)
})

test.each([
  { site: 'https://shop.example', link: 'https://shop.example/?via=maya' },
  {
    site: 'https://shop.example/pricing?plan=pro#top',
    link: 'https://shop.example/pricing?plan=pro&via=maya#top',
  },
])('the link to $site', ({ site, link }) => {
  expect(partnerLink(site, 'maya')).toBe(link)
})

test.each([
  { case: 'a name', name: 'Maya Lindqvist', email: 'm@x', slug: 'maya-lindqvist' },
  {
    case: 'marks and letters beyond ASCII',
    name: 'Łukasz Żółć-Strauß',
    email: 'l@x',
    slug: 'lukasz-zolc-strauss',
  },
  { case: 'no name', name: null, email: 'maya.l+aff@x', slug: 'maya-l-aff' },
  { case: 'a name in another script', name: '客', email: 'ke@x', slug: 'ke' },
  {
    case: 'an address, if the name is the merchant’s word',
    name: 'Admin',
    email: 'eve@x',
    slug: 'eve',
  },
  { case: 'neither, if both are', name: 'Support', email: 'admin@x', slug: 'partner' },
  { case: 'nothing in ASCII', name: '客', email: '客@x', slug: 'partner' },
  {
    case: 'a name that is too long',
    name: `${'x'.repeat(39)} yz`,
    email: 'x@x',
    slug: 'x'.repeat(39),
  },
])('generates a slug from $case', ({ name, email, slug }) => {
  expect(makeSlug(name, email)).toBe(slug)
})

test.each([
  { case: 'a short slug', slug: 'maya', suffixed: 'maya-x7k2' },
  {
    case: 'a slug of 255 characters is truncated',
    slug: 'x'.repeat(255),
    suffixed: `${'x'.repeat(250)}-x7k2`,
  },
  {
    case: 'no surrogate pair is split',
    slug: `x${'𝒳'.repeat(127)}`,
    suffixed: `x${'𝒳'.repeat(124)}-x7k2`,
  },
])('a suffix: $case', ({ slug, suffixed }) => {
  expect(suffixedSlug(slug, 'x7k2')).toBe(suffixed)
})
