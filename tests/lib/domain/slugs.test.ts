import { expect, test } from 'vitest'
import { partnerLink, slugKey } from '../../../lib/domain/slugs.ts'

test.each([
  { case: 'case is ignored', slug: 'Maya', key: 'maya' },
  { case: 'space around it is ignored', slug: ' maya ', key: 'maya' },
  { case: 'an accent stays, however it is composed', slug: 'Jose\u0301', key: 'josé' },
  { case: 'other platforms’ punctuation stays', slug: 'maya_b-2.x', key: 'maya_b-2.x' },
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
