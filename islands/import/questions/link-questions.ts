/**
 * What a manager says about the links of the old platform before partners are mailed that these
 * work.
 */
import { type FormOfLinks, worksIf } from '../../../lib/imports/partners/former-links.ts'
import * as m from '../../../lib/languages/messages.ts'
import { t } from '../../text.ts'
import { h } from '../dom.ts'

/** A question for each form of links that is not known to work, or not to. */
export const linkQuestions = (forms: FormOfLinks[]) => {
  const questions = forms
    .filter(({ works }) => works === null)
    .map(({ form, links, example }, n) => {
      const id = `import-links-${n}`
      const select = h(
        'select',
        { id, 'aria-describedby': `${id}-hint` },
        h('option', { value: '' }, t(m.imports_choose)),
        h('option', { value: 'works' }, t(m.imports_they_still_work)),
        h('option', { value: 'stops' }, t(m.imports_no_longer_count)),
      )
      const part = h(
        'div',
        { class: 'field' },
        h('label', { for: id }, t(m.import_links_such_as, { count: links, example })),
        h('span', { class: 'hint', id: `${id}-hint` }, worksIf(form)),
        select,
      )
      return { form, select, part }
    })
  return {
    parts: questions.map(({ part }) => part),
    selects: questions.map(({ select }) => select),
    /** Null until all are answered. */
    answers: (): Record<string, boolean> | null =>
      questions.every(({ select }) => select.value)
        ? Object.fromEntries(questions.map(({ form, select }) => [form, select.value === 'works']))
        : null,
  }
}
