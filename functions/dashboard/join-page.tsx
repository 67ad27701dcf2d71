import type { Context } from 'hono'
import { JoinPageForm } from '../../lib/applications/applications.schemas.ts'
import { MAX_QUESTIONS, MAX_TEXT_LENGTH } from '../../lib/applications/applications.ts'
import {
  type JoinSettings,
  readJoinPage,
  saveJoinPage,
  settingsOf,
} from '../../lib/applications/join-pages.queries.ts'
import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { MAX_ID_LENGTH } from '../../lib/http/fields.ts'
import { found } from '../../lib/http/found.ts'
import { checked, type Fields, form } from '../../lib/http/validate.ts'
import { Checkbox, controls, Field, type FormState, TextArea } from '../../lib/pages/fields.tsx'
import { Copyable, Done, noticeFor, Problem } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { listGroups } from '../../lib/workspace/groups.queries.ts'
import { findProgram, type Program } from '../../lib/workspace/programs.queries.ts'
import { GroupField, groupNames, type Option } from './choices.tsx'

const DONE = { saved: 'Page saved.' }

const LABELS = { intro: 'Introduction (optional)', groupId: 'Group', agreement: 'Terms (optional)' }

const QUESTIONS = Array.from({ length: MAX_QUESTIONS }, (_, index) => `question${index}`)

const fieldsOf = ({ isOpen, intro, questions, approves, groupId, agreement }: JoinSettings): Fields => ({
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
  done?: string | undefined
}

const JoinPageSettings = ({ base, program, groups, url, fields, errors, done }: Props) => {
  const control = controls(LABELS, { fields, errors })
  return (
    <>
      <p>
        <a href={`${base}/programs/${program.id}`}>{program.name}</a>
      </p>
      <h1>Applications page</h1>
      <Done message={done} />
      <Problem errors={errors} labels={LABELS} />
      <p>
        On this page, people read what partners earn, and apply. They prove their email address by signing in
        first.
      </p>
      <Copyable label="the URL of the page" text={url} />
      <form method="post">
        <Checkbox
          label="Open"
          name="isOpen"
          hint="Takes applications. The page can be read while it is closed, once you have saved it."
          checked={fields.isOpen !== undefined}
        />
        <TextArea
          {...control('intro')}
          hint="What you say about the program. The page adds the reward in words."
          maxlength={MAX_TEXT_LENGTH}
        />
        <fieldset>
          <legend>Questions (optional)</legend>
          <p class="hint">
            The form asks for a name, a site and how the person will promote you. Add up to five questions.
          </p>
          {QUESTIONS.map((name, index) => (
            <Field
              label={`Question ${index + 1}`}
              name={name}
              maxlength={MAX_ID_LENGTH}
              autocomplete="off"
              value={fields[name]}
              errors={errors}
            />
          ))}
        </fieldset>
        <Checkbox
          label="Approve at once"
          name="approves"
          hint="Everybody who applies becomes a partner, without a manager."
          checked={fields.approves !== undefined}
        />
        <GroupField {...control('groupId')} hint="Of partners who are approved at once." groups={groups} />
        <TextArea
          {...control('agreement')}
          hint="Applicants accept them. A changed text is a new version, which the portal asks partners to accept."
          rows={10}
        />
        <button type="submit">Save page</button>
      </form>
    </>
  )
}

const PATH = '/app/:workspace/programs/:id/applications'

const show = async (
  c: Context<WorkspaceEnv>,
  program: Program,
  state: FormState & { done?: string | undefined },
  status: 200 | 400 = 200,
) => {
  const { db, workspace } = c.var
  const groups = groupNames(await listGroups(db, workspace.id, program.id))
  const url = new URL(`/join/${program.id}`, c.req.url).href
  const children = (
    <JoinPageSettings base={`/app/${workspace.slug}`} {...{ program, groups, url }} {...state} />
  )
  return renderPage(c, { title: 'Applications page', section: '/programs', children }, status)
}

const findOne = (c: Context<WorkspaceEnv>) =>
  found('program', c.req.param('id') ?? '', (id) => findProgram(c.var.db, c.var.workspace.id, id))

/** /app/:workspace/programs/:id/applications: the settings of a program's public page. */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, managersOnly(), async (c) => {
    const program = await findOne(c)
    const settings = settingsOf(await readJoinPage(c.var.db, program.id))
    return show(c, program, { fields: fieldsOf(settings), done: noticeFor(DONE, c.req.query('done')) })
  })
  .post(PATH, managersOnly(), form(), async (c) => {
    const { db, workspace } = c.var
    const program = await findOne(c)
    const fields = c.req.valid('form')
    const { data, errors } = checked(JoinPageForm, settingsIn(fields))
    if (errors) return show(c, program, { fields, errors }, 400)
    if (!(await saveJoinPage(db, actOf(c), program.id, data))) {
      const unknown = [{ path: 'groupId', message: 'This group is not one of the program’s.' }]
      return show(c, program, { fields, errors: unknown }, 400)
    }
    return c.redirect(`/app/${workspace.slug}/programs/${program.id}/applications?done=saved`, 303)
  })
