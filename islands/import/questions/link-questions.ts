/** The questions whether links of the former platform still work, before partners are mailed. */
import { type FormOfLinks, worksIf } from '../../../lib/imports/partners/former-links.ts'
import * as m from '../../../lib/languages/messages.ts'
import { t } from '../../text.ts'
import { h, select } from '../dom.ts'

/** A question per form of links that is not known to work or to fail. */
export const linkQuestions = (forms: FormOfLinks[]) => {
  const questions = forms
    .filter(({ works }) => works === null)
    .map(({ form, links, example }, n) => {
      const id = `import-links-${n}`
      const answer = select({ id, 'aria-describedby': `${id}-hint` }, [
        ['', t(m.imports_choose)],
        ['works', t(m.imports_they_still_work)],
        ['stops', t(m.imports_no_longer_count)],
      ])
      const part = h(
        'div',
        { class: 'field' },
        h('label', { for: id }, t(m.import_links_such_as, { count: links, example })),
        h('span', { class: 'hint', id: `${id}-hint` }, worksIf(form)),
        answer,
      )
      return { form, select: answer, part }
    })
  return {
    parts: questions.map(({ part }) => part),
    selects: questions.map(({ select }) => select),
    /** Null until all questions are answered. */
    answers: (): Record<string, boolean> | null =>
      questions.every(({ select }) => select.value)
        ? Object.fromEntries(questions.map(({ form, select }) => [form, select.value === 'works']))
        : null,
  }
}
