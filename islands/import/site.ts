/** The last step of an import: the merchant's tag, and links to try. */
import { counted } from '../../lib/plural.ts'
import { get } from './api.ts'
import { announce, h } from './dom.ts'
import type { Program } from './program.ts'
import type { Outcomes } from './rules/outcomes.ts'
import { linkForms, type Sample, sampleLinks, tagWith } from './rules/site.ts'
import type { Job } from './store.ts'

/** How often the page looks for visits, and for how long. */
const LOOK_EVERY_MS = 3_000
const LOOKS = 400

/** The part of the result about the merchant's site; nothing for a file without partners. It looks for visits as long as it is shown. */
export const sitePart = (job: Job, outcomes: Outcomes, program: Program | null): HTMLElement[] => {
  const { parameters, paths, encoded } = linkForms(outcomes.partners.map(({ row }) => row))
  const samples = program ? sampleLinks(outcomes, program.siteUrl) : []
  if (!program || samples.length === 0) return []
  const text = tagWith(program.tag, parameters)
  const names = parameters.map((name) => h('code', {}, name))
  return [
    h(
      'section',
      { id: 'import-site' },
      h('h3', {}, 'Your site'),
      h(
        'p',
        {},
        'Every page of your site needs this tag',
        ...(names.length > 0
          ? [
              ', which reads what the links of the file use: ',
              ...names.flatMap((name, n) => (n ? [', ', name] : [name])),
            ]
          : []),
        '. It takes the place of the old platform’s script.',
      ),
      h(
        'div',
        { class: 'copyable' },
        h('pre', {}, h('code', {}, text)),
        h(
          'button',
          { type: 'button', 'data-copy': text },
          'Copy',
          h('span', { class: 'hidden' }, ' the tag'),
        ),
      ),
      paths > 0
        ? h(
            'p',
            { class: 'note' },
            `${counted(paths, 'link has', 'links have')} the slug in the path, which the tag does not read. Redirect such links to a page of your site with `,
            h('code', {}, '?via='),
            ' and the slug.',
          )
        : null,
      encoded > 0
        ? h(
            'p',
            { class: 'note' },
            `${counted(encoded, 'link has', 'links have')} the slug in an encoded parameter, which the tag does not read. Send these partners their new link.`,
          )
        : null,
      h('h3', {}, 'Try the links'),
      h(
        'p',
        {},
        'Open each link. It is ticked when your site has sent the visit, which proves that the tag is there.',
      ),
      h('ul', { class: 'checklist' }, ...samples.map((sample) => samplePart(job, sample))),
    ),
  ]
}

const samplePart = (job: Job, sample: Sample): HTMLElement => {
  const state = h('span', { class: 'status', 'data-status': 'open' }, 'To do')
  const part = h(
    'li',
    {},
    state,
    h(
      'span',
      {},
      h('a', { href: sample.url, target: '_blank', rel: 'noopener' }, sample.url),
      ` of ${sample.email}`,
    ),
  )
  void arrivals(job, sample, part).then((arrived) => {
    if (!arrived) return
    state.dataset.status = 'approved'
    state.textContent = 'Done'
    announce(`A visit by ${sample.url} has arrived.`)
  })
  return part
}

type Partners = { data: { id: string }[] }
type Links = { data: { slug: string; clicks: number }[] }

/** Waits until a visit of a link is counted: of a new partner any, else one more than at first. @returns false if it is no longer shown */
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
    (await get<Links>(`${base}/${partner.id}/links`))?.data.find((link) => link.slug === slug)?.clicks
  const before = isNew ? 0 : await count()
  for (let look = 0; look < LOOKS && part.isConnected; look++) {
    if (((await count()) ?? 0) > (before ?? 0)) return true
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
  return false
}
