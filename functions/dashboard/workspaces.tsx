import type { SessionEnv } from '../../lib/auth/session.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { ApiError, type ErrorDetail } from '../../lib/http/errors.ts'
import { checked, type Fields, form } from '../../lib/http/validate.ts'
import { Field, Select } from '../../lib/pages/fields.tsx'
import { Done, noticeFor, Problem } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import type { Mode } from '../../lib/purchases/processors.ts'
import { isSignupOpen, refusalOf, type SignupBindings, slugTaken } from '../../lib/workspace/signup.ts'
import {
  createWorkspace,
  listWorkspaces,
  mayCreateWorkspace,
} from '../../lib/workspace/workspaces.queries.ts'
import { NewWorkspace } from '../../lib/workspace/workspaces.schemas.ts'

const MODE_OPTIONS: { value: Mode; label: string }[] = [
  { value: 'live', label: 'Real sales' },
  { value: 'test', label: 'Tests' },
]

const DONE = { left: 'You are no longer a member of that workspace.' }

type Workspaces = Awaited<ReturnType<typeof listWorkspaces>>

type Props = {
  workspaces: Workspaces
  /** Why the person may not create another one. */
  refusal: string | null
  done?: string | undefined
  fields?: Fields
  errors?: ErrorDetail[]
}

const WorkspacesPage = ({ workspaces, refusal, done, fields = {}, errors }: Props) => (
  <>
    <h1>Your workspaces</h1>
    <Done message={done} />
    <Problem errors={errors} labels={{ name: 'Name', slug: 'Slug', mode: 'Use' }} />
    {workspaces.length > 0 ? (
      <ul>
        {workspaces.map(({ slug, name, mode, role }) => (
          <li>
            <a href={`/app/${slug}`}>{name}</a> <span class="hint">{role}</span>{' '}
            {mode === 'test' && <span class="status">Test</span>}{' '}
            <a class="hint" href={`/app/${slug}/leave`}>
              Leave<span class="hidden"> {name}</span>
            </a>
          </li>
        ))}
      </ul>
    ) : (
      <p class="empty">You are not a member of any workspace yet.</p>
    )}
    {workspaces[0] && (
      <p>
        <a href={`/app/${workspaces[0].slug}/address`}>Change your email address</a> in all workspaces.
      </p>
    )}
    <h2>New workspace</h2>
    {refusal === null ? (
      <form method="post" action="/app">
        <Field
          label="Name"
          name="name"
          hint="Your company or product. Visible to partners."
          required
          maxlength={255}
          autocomplete="organization"
          value={fields.name}
          errors={errors}
        />
        <Field
          label="Slug (optional)"
          name="slug"
          hint="Used in URLs, such as /app/my-shop. Generated from the name if blank."
          maxlength={63}
          autocomplete="off"
          autocapitalize="none"
          spellcheck="false"
          value={fields.slug}
          errors={errors}
        />
        <Select
          label="Use"
          name="mode"
          hint="The API keys of a workspace for tests begin with trib_test_, and it takes the payments of Stripe’s test mode."
          options={MODE_OPTIONS}
          value={fields.mode}
          errors={errors}
        />
        <button type="submit">Create workspace</button>
      </form>
    ) : (
      <p>{refusal}</p>
    )}
    <h2>Partner portal</h2>
    <p>
      Partners find their links, coupon codes and payouts in the <a href="/portal">partner portal</a>.
    </p>
  </>
)

/** /app: the user's workspaces, and a form for a new one. */
export default createRoutes<SessionEnv & { Bindings: SignupBindings }>()
  .get('/app', async (c) => {
    const { db, user } = c.var
    const isOpen = isSignupOpen(c.env)
    const [workspaces, isAllowed] = await Promise.all([
      listWorkspaces(db, user.email),
      mayCreateWorkspace(db, { email: user.email, isOpen }),
    ])
    const refusal = isAllowed ? null : refusalOf(isOpen)
    const done = noticeFor(DONE, c.req.query('done'))
    const page = <WorkspacesPage workspaces={workspaces} refusal={refusal} done={done} />
    return renderPage(c, { title: 'Workspaces', children: page })
  })
  .post('/app', form(), async (c) => {
    const { db, now, user } = c.var
    const isOpen = isSignupOpen(c.env)
    const fields = c.req.valid('form')

    const again = async (errors: ErrorDetail[], status: 400 | 409) => {
      const workspaces = await listWorkspaces(db, user.email)
      const page = <WorkspacesPage workspaces={workspaces} refusal={null} fields={fields} errors={errors} />
      return renderPage(c, { title: 'Workspaces', children: page }, status)
    }
    const { data, errors } = checked(NewWorkspace, {
      name: fields.name ?? '',
      slug: fields.slug,
      mode: fields.mode,
    })
    if (errors) return again(errors, 400)

    const workspace = await createWorkspace(db, { ...data, email: user.email, isOpen, now })
    if (workspace === 'not_allowed')
      throw new ApiError(isOpen ? 'conflict' : 'signup_closed', refusalOf(isOpen))
    if (workspace === 'slug_taken') return again([{ path: 'slug', message: slugTaken(data.slug) }], 409)
    return c.redirect(`/app/${workspace.slug}?done=created`, 303)
  })
