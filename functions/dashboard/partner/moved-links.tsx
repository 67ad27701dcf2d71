/** The questions whether links of the former platform still work, before partners are mailed. */

import type { Fields } from '../../../lib/http/validate.ts'
import {
  type FormOfLinks,
  formsOf,
  type LinkForms,
  worksIf,
} from '../../../lib/imports/partners/former-links.ts'
import * as m from '../../../lib/languages/messages.ts'
import type { MovedCandidate } from '../../../lib/mail/mailings/moved-mails.ts'
import { t } from '../../../lib/pages/layout/text.ts'

type Forms = ReadonlyMap<string, LinkForms>

/** The links of one form in a program. */
export type AskedForm = FormOfLinks & { programId: string; programName: string }

/** The distinct forms of the partners' links, by program. */
export const askedForms = (partners: readonly MovedCandidate[], forms: Forms): AskedForm[] =>
  [...Map.groupBy(partners, ({ programId }) => programId)].flatMap(([programId, ofProgram]) => {
    const [first] = ofProgram
    if (!first) return []
    return formsOf(ofProgram, first.siteUrl, forms.get(programId) ?? new Map()).map((form) => ({
      ...form,
      programId,
      programName: first.programName,
    }))
  })

const nameOf = ({ programId, form }: AskedForm) => `links ${programId} ${form}`

/** The answers of a form to these questions. */
export const readAnswers = (asked: readonly AskedForm[], fields: Fields) => {
  const said = asked.flatMap((form) => {
    const answer = fields[nameOf(form)]
    return answer === 'works' || answer === 'stops' ? { ...form, works: answer === 'works' } : []
  })
  return {
    byProgram: Map.groupBy(said, ({ programId }) => programId),
    /** Whether every question is answered. */
    isComplete: asked.every(
      ({ works, programId, form }) =>
        works !== null || said.some((one) => one.programId === programId && one.form === form),
    ),
  }
}

/** A question per form: whether such links still work. */
export const LinkQuestions = ({ asked }: { asked: readonly AskedForm[] }) => (
  <fieldset>
    <legend>{t(m.imports_links_earlier_platform)}</legend>
    <p>{t(m.imports_email_shows_partners)}</p>
    {asked.map((form, n) => (
      <div class="field">
        <label for={`links-${n}`}>
          {t(m.imports_links_of_form, {
            count: form.links,
            programName: form.programName,
            example: form.example,
          })}
        </label>
        <p class="hint" id={`links-${n}-hint`}>
          {worksIf(form.form)}
        </p>
        <select id={`links-${n}`} name={nameOf(form)} aria-describedby={`links-${n}-hint`} required>
          {form.works === null && <option value="">{t(m.imports_choose)}</option>}
          <option value="works" selected={form.works === true}>
            {t(m.imports_they_still_work)}
          </option>
          <option value="stops" selected={form.works === false}>
            {t(m.imports_no_longer_count)}
          </option>
        </select>
      </div>
    ))}
  </fieldset>
)
