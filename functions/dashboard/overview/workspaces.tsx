import type { SessionEnv } from '../../../lib/auth/session.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError, type ErrorDetail } from '../../../lib/http/errors.ts'
import { checked, type Fields, form } from '../../../lib/http/validate.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { controls, Field, IDENTIFIER, Select } from '../../../lib/pages/forms/fields.tsx'
import { Done, noticeFor, Problem } from '../../../lib/pages/layout/parts.tsx'
import { renderPage } from '../../../lib/pages/layout/render.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { hidden, linkTo } from '../../../lib/pages/parts/tags.tsx'
import {
  refusalOf,
  type SignupBindings,
  signupOf,
  slugTaken,
} from '../../../lib/tenancy/workspaces/signup.ts'
import {
  createWorkspace,
  listWorkspaces,
  mayCreateWorkspace,
} from '../../../lib/tenancy/workspaces/workspaces.queries.ts'
import { NewWorkspace } from '../../../lib/tenancy/workspaces/workspaces.schemas.ts'

const MODE_OPTIONS = [
  { value: 'live', label: m.settings_real_sales },
  { value: 'test', label: m.settings_tests },
]

const LABELS = { name: m.party_name, slug: m.slug, mode: m.settings_use }

const DONE = { left: m.settings_no_longer_member }

type Workspaces = Awaited<ReturnType<typeof listWorkspaces>>

type Props = {
  workspaces: Workspaces
  /** Why the person may not create another workspace. */
  refusal: string | null
  done?: Message | undefined
  fields?: Fields
  errors?: ErrorDetail[]
}

const WorkspacesPage = ({ workspaces, refusal, done, fields = {}, errors }: Props) => {
  const control = controls(LABELS, { fields, errors })
  return (
    <>
      <h1>{t(m.settings_your_workspaces)}</h1>
      <Done message={done} />
      <Problem errors={errors} labels={LABELS} />
      {workspaces.length > 0 ? (
        <ul>
          {workspaces.map(({ slug, name, mode, role }) => (
            <li>
              <a href={`/app/${slug}`}>{name}</a> <span class="hint">{role}</span>{' '}
              {mode === 'test' && <span class="status">{t(m.settings_test)}</span>}{' '}
              <a class="hint" href={`/app/${slug}/leave`}>
                {t(m.settings_leave, { name, hidden })}
              </a>
            </li>
          ))}
        </ul>
      ) : (
        <p class="empty">{t(m.settings_not_member_workspace)}</p>
      )}
      {workspaces[0] && (
        <p>
          {t(m.settings_change_email_address, {
            link: linkTo(`/app/${workspaces[0].slug}/address`),
          })}
        </p>
      )}
      <h2>{t(m.settings_new_workspace)}</h2>
      {refusal === null ? (
        <form method="post" action="/app">
          <Field
            {...control('name')}
            hint={t(m.settings_company_product_visible)}
            required
            maxlength={255}
            autocomplete="organization"
          />
          <Field
            {...control('slug')}
            label={t(m.layout_slug_optional)}
            hint={t(m.settings_used_urls_such)}
            maxlength={63}
            {...IDENTIFIER}
          />
          <Select
            {...control('mode')}
            hint={t(m.settings_api_keys_workspace)}
            options={MODE_OPTIONS}
          />
          <button type="submit">{t(m.settings_create_workspace)}</button>
        </form>
      ) : (
        <p>{refusal}</p>
      )}
      <h2>{t(m.portal_title)}</h2>
      <p>{t(m.settings_partners_find_links, { link: linkTo('/portal') })}</p>
    </>
  )
}

/** /app: the user's workspaces, and a form for a new one. */
export default createRoutes<SessionEnv & { Bindings: SignupBindings }>()
  .get('/app', async (c) => {
    const { db, user } = c.var
    const signup = signupOf(user.email, c.env)
    const [workspaces, isAllowed] = await Promise.all([
      listWorkspaces(db, user.email),
      mayCreateWorkspace(db, signup),
    ])
    const refusal = isAllowed ? null : refusalOf(signup)
    const done = noticeFor(DONE, c.req.query('done'))
    const page = <WorkspacesPage workspaces={workspaces} refusal={refusal} done={done} />
    return renderPage(c, { title: m.settings_workspaces, children: page })
  })
  .post('/app', form(), async (c) => {
    const { db, now, user } = c.var
    const signup = signupOf(user.email, c.env)
    const fields = c.req.valid('form')

    const again = async (errors: ErrorDetail[], status: 400 | 409) => {
      const workspaces = await listWorkspaces(db, user.email)
      const page = (
        <WorkspacesPage workspaces={workspaces} refusal={null} fields={fields} errors={errors} />
      )
      return renderPage(c, { title: m.settings_workspaces, children: page }, status)
    }
    const { data, errors } = checked(NewWorkspace, {
      name: fields.name ?? '',
      slug: fields.slug,
      mode: fields.mode,
    })
    if (errors) return again(errors, 400)

    const workspace = await createWorkspace(db, { ...data, signup, now })
    if (workspace === 'not_allowed')
      throw new ApiError(signup.isOpen ? 'conflict' : 'signup_closed', refusalOf(signup))
    if (workspace === 'slug_taken')
      return again([{ path: 'slug', message: slugTaken(data.slug) }], 409)
    return c.redirect(`/app/${workspace.slug}?done=created`, 303)
  })
