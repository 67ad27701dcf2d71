/** The last step of an import: the merchant's tag, and links to try. */
import * as m from '../../../lib/languages/messages.ts'
import { t } from '../../text.ts'
import { get } from '../api.ts'
import { announce, code, h, hidden, linkInNewTab } from '../dom.ts'
import type { Outcomes } from '../rules/outcomes.ts'
import { linkForms, type Sample, sampleLinks, tagWith } from '../rules/site.ts'
import type { Job } from '../store.ts'
import type { Program } from './program.ts'

/** How often the page looks for visits, and for how long. */
const LOOK_EVERY_MS = 3_000
const LOOKS = 400

/**
 * The part of the result about the merchant's site; nothing for a file without partners. It polls
 * for visits while it is shown.
 */
export const sitePart = (job: Job, outcomes: Outcomes, program: Program | null): HTMLElement[] => {
  const { parameters, paths, encoded } = linkForms(outcomes.partners.map(({ row }) => row))
  const samples = program ? sampleLinks(outcomes, program.siteUrl) : []
  if (!program || samples.length === 0) return []
  const text = tagWith(program.tag, parameters)
  return [
    h(
      'section',
      { id: 'import-site' },
      h('h3', {}, t(m.import_your_site)),
      h(
        'p',
        {},
        ...(parameters.length > 0
          ? t(m.import_tag_reads, {
              parameters: () =>
                h('span', {}, ...separated(parameters.map((name) => h('code', {}, name)))),
            })
          : [t(m.import_tag_needed)]),
      ),
      h(
        'div',
        { class: 'copyable' },
        h('pre', {}, h('code', {}, text)),
        h(
          'button',
          {
            type: 'button',
            'data-copy': text,
            'data-copied': t(m.copied),
            'data-blocked': t(m.press_ctrl_c),
          },
          ...t(m.import_copy_tag, { hidden }),
        ),
      ),
      paths > 0
        ? h('p', { class: 'note' }, ...t(m.import_slugs_in_paths, { count: paths, code }))
        : null,
      encoded > 0 ? h('p', { class: 'note' }, t(m.import_slugs_encoded, { count: encoded })) : null,
      h('h3', {}, t(m.import_try_links)),
      h('p', {}, t(m.import_try_links_hint)),
      h('ul', { class: 'checklist' }, ...samples.map((sample) => samplePart(job, sample))),
    ),
  ]
}

/** Elements with commas between them. */
const separated = (elements: HTMLElement[]): (HTMLElement | string)[] =>
  elements.flatMap((element, n) => (n ? [', ', element] : [element]))

const samplePart = (job: Job, sample: Sample): HTMLElement => {
  const { url, email } = sample
  const state = h('span', { class: 'status', 'data-status': 'open' }, t(m.layout_to_do))
  const link = t(m.import_link_of, { url, email, link: linkInNewTab(url) })
  const part = h('li', {}, state, h('span', {}, ...link))
  void arrivals(job, sample, part).then((arrived) => {
    if (!arrived) return
    state.dataset.status = 'approved'
    state.textContent = t(m.layout_done)
    announce(t(m.import_visit_arrived, { url }))
  })
  return part
}

type Partners = { data: { id: string }[] }
type Links = { data: { slug: string; clicks: number }[] }

/**
 * Waits for a visit by a link: the first one of a new partner, else one more than at the start.
 * @returns false if the part is no longer shown
 */
const arrivals = async (
  { workspace, programId }: Job,
  { slug, isNew }: Sample,
  part: HTMLElement,
): Promise<boolean> => {
  const base = `/api/workspaces/${encodeURIComponent(workspace)}/partners`
  const query = new URLSearchParams({ programId, slug, limit: '1' })
  const partner = (await get<Partners>(`${base}?${query}`))?.data[0]
  if (!partner) return false
  const count = async () =>
    (await get<Links>(`${base}/${partner.id}/links`))?.data.find((link) => link.slug === slug)
      ?.clicks
  const before = isNew ? 0 : await count()
  for (let look = 0; look < LOOKS && part.isConnected; look++) {
    if (((await count()) ?? 0) > (before ?? 0)) return true
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
  return false
}
