import type { Context } from 'hono'
import { JoinPageForm } from '../../../lib/applications/applications.schemas.ts'
import { MAX_QUESTIONS, MAX_TEXT_LENGTH } from '../../../lib/applications/applications.ts'
import {
  type JoinSettings,
  readJoinPage,
  saveJoinPage,
  settingsOf,
} from '../../../lib/applications/join-pages.queries.ts'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { checked, type Fields, form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import {
  Checkbox,
  controls,
  Field,
  type FormState,
  TextArea,
} from '../../../lib/pages/forms/fields.tsx'
import { Copyable, Done, LinkLine, noticeFor, Problem } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { type Shown, t, textsOf } from '../../../lib/pages/layout/text.ts'
import { listGroups } from '../../../lib/programs/groups.queries.ts'
import { findProgram, type Program } from '../../../lib/programs/programs.queries.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import { MAX_ID_LENGTH } from '../../../lib/values/external-ids.ts'
import { GroupField, groupNames, type Option } from '../fields/choices.tsx'

const DONE = { saved: m.programs_page_saved }

const LABELS = {
  intro: 'Introduction (optional)',
  groupId: m.layout_group,
  agreement: 'Terms (optional)',
}

const QUESTIONS = Array.from({ length: MAX_QUESTIONS }, (_, index) => `question${index}`)

const fieldsOf = ({
  isOpen,
  intro,
  questions,
  approves,
  groupId,
  agreement,
}: JoinSettings): Fields => ({
  ...(isOpen && { isOpen: 'on' }),
  intro,
  ...Object.fromEntries(questions.map((question, index) => [`question${index}`, question])),
  ...(approves && { approves: 'on' }),
  ...(groupId && { groupId }),
  agreement,
})

const settingsIn = (fields: Fields) => ({
  isOpen: fields.isOpen !== undefined,
  intro: fields.intro ?? '',
  questions: QUESTIONS.flatMap((name) => fields[name] ?? []),
  approves: fields.approves !== undefined,
  groupId: fields.groupId ?? null,
  agreement: fields.agreement ?? '',
})

type Props = FormState & {
  base: string
  program: Program
  groups: Option[]
  url: string
  done?: Shown | undefined
}

const JoinPageSettings = ({ base, program, groups, url, fields, errors, done }: Props) => {
  const control = controls(LABELS, { fields, errors })
  return (
    <>
      <LinkLine href={`${base}/programs/${program.id}`}>{program.name}</LinkLine>
      <h1>{t(m.programs_applications_page)}</h1>
      <Done message={done} />
      <Problem errors={errors} labels={LABELS} />
      <p>{t(m.programs_join_intro)}</p>
      <Copyable label={t(m.programs_join_url)} text={url} />
      <form method="post">
        <Checkbox
          label={t(m.programs_open)}
          name="isOpen"
          hint={t(m.programs_open_hint)}
          checked={fields.isOpen !== undefined}
        />
        <TextArea
          {...control('intro')}
          hint={t(m.programs_about_hint)}
          maxlength={MAX_TEXT_LENGTH}
        />
        <fieldset>
          <legend>{t(m.programs_questions)}</legend>
          <p class="hint">{t(m.programs_questions_hint)}</p>
          {QUESTIONS.map((name, index) => (
            <Field
              label={t(m.programs_question, { number: String(index + 1) })}
              name={name}
              maxlength={MAX_ID_LENGTH}
              autocomplete="off"
              value={fields[name]}
              errors={errors}
            />
          ))}
        </fieldset>
        <Checkbox
          label={t(m.programs_approve_once)}
          name="approves"
          hint={t(m.programs_approve_once_hint)}
          checked={fields.approves !== undefined}
        />
        <GroupField {...control('groupId')} hint={t(m.programs_join_group_hint)} groups={groups} />
        <TextArea {...control('agreement')} hint={t(m.programs_terms_hint)} rows={10} />
        <button type="submit">{t(m.programs_save_page)}</button>
      </form>
    </>
  )
}

const PATH = '/app/:workspace/programs/:id/applications'

const show = async (
  c: Context<WorkspaceEnv>,
  program: Program,
  state: FormState & { done?: Shown | undefined },
  status: 200 | 400 = 200,
) => {
  const { db, workspace } = c.var
  const groups = groupNames(await listGroups(db, workspace.id, program.id))
  const url = new URL(`/join/${program.id}`, c.req.url).href
  const children = (
    <JoinPageSettings base={`/app/${workspace.slug}`} {...{ program, groups, url }} {...state} />
  )
  return renderSection(c, '/programs', m.programs_applications_page, children, status)
}

const findOne = (c: Context<WorkspaceEnv>) => readById(c, 'program', findProgram)

/** /app/:workspace/programs/:id/applications: the settings of a program's public page. */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, async (c) => {
    const program = await findOne(c)
    const settings = settingsOf(await readJoinPage(c.var.db, program.id))
    return show(c, program, {
      fields: fieldsOf(settings),
      done: noticeFor(DONE, c.req.query('done')),
    })
  })
  .post(PATH, freshMembersOnly(), form(), async (c) => {
    const { db, workspace } = c.var
    const program = await findOne(c)
    const fields = c.req.valid('form')
    const { data, errors } = checked(JoinPageForm, settingsIn(fields))
    if (errors) return show(c, program, { fields, errors }, 400)
    if (!(await saveJoinPage(db, actOf(c), program.id, data))) {
      const unknown = [{ path: 'groupId', message: textsOf(c)(m.layout_unknown_group) }]
      return show(c, program, { fields, errors: unknown }, 400)
    }
    return c.redirect(`/app/${workspace.slug}/programs/${program.id}/applications?done=saved`, 303)
  })
