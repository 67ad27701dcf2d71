import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import type { SessionEnv } from '../../../lib/auth/session.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { noteForLog } from '../../../lib/http/logging.ts'
import { callerKey, limitRate } from '../../../lib/http/rate-limit.ts'
import * as m from '../../../lib/languages/messages.ts'
import {
  findSubscriber,
  type Subscriber,
  setUnsubscribed,
} from '../../../lib/mail/mailings/optouts.queries.ts'
import { QuietButton } from '../../../lib/pages/forms/buttons.tsx'
import { noSuchPage, renderPage } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import { name } from '../../../lib/pages/parts/tags.tsx'

/** The recipient of a link. @throws {ApiError} `not_found`, `rate_limited` */
const readSubscriber = async (c: Context<SessionEnv>): Promise<Subscriber> => {
  // The page is public, and each response reads the database.
  await limitRate(c.env.RATE_LIMIT, `from ${callerKey(c)}`)
  const subscriber = await findSubscriber(c.var.db, c.req.param('token') ?? '')
  if (!subscriber) throw noSuchPage()
  noteForLog(c, { workspaceId: subscriber.workspaceId })
  return subscriber
}

const show = (c: Context<SessionEnv>, title: string, children: Child) =>
  renderPage(c, {
    title,
    home: '/portal',
    children: (
      <>
        <h1>{title}</h1>
        {children}
        <p class="hint">{textsOf(c)(m.what_stays)}</p>
      </>
    ),
  })

const showUnsubscribed = (c: Context<SessionEnv>, { workspaceName }: Subscriber) =>
  show(
    c,
    textsOf(c)(m.unsubscribed),
    <>
      <p role="status">{textsOf(c)(m.unsubscribed_text, { workspace: workspaceName, name })}</p>
      <form method="post" action={`/unsubscribe/${c.req.param('token')}/undo`}>
        <QuietButton>{textsOf(c)(m.subscribe_again)}</QuietButton>
      </form>
    </>,
  )

const PATH = '/unsubscribe/:token'

/**
 * /unsubscribe/:token: ends a workspace's bulk mails to a person, by the link in each mail. A GET
 * changes nothing, because mail scanners open links. Mail programs post from anywhere (RFC 8058).
 * The page therefore takes any body from any site, without a session, and never redirects: the
 * signed token authorizes the request.
 */
export default createRoutes<SessionEnv>()
  .get(PATH, async (c) => {
    const subscriber = await readSubscriber(c)
    if (subscriber.isUnsubscribed) return showUnsubscribed(c, subscriber)
    return show(
      c,
      textsOf(c)(m.unsubscribe),
      <>
        <p>{textsOf(c)(m.unsubscribe_text, { workspace: subscriber.workspaceName, name })}</p>
        <form method="post">
          <button type="submit">{textsOf(c)(m.unsubscribe)}</button>
        </form>
      </>,
    )
  })
  .post(PATH, async (c) => {
    const subscriber = await readSubscriber(c)
    await setUnsubscribed(c.var.db, subscriber, true, c.var.now)
    return showUnsubscribed(c, subscriber)
  })
  .post(`${PATH}/undo`, async (c) => {
    const subscriber = await readSubscriber(c)
    await setUnsubscribed(c.var.db, subscriber, false, c.var.now)
    return show(
      c,
      textsOf(c)(m.subscribed_again),
      <p role="status">
        {textsOf(c)(m.subscribed_again_text, { workspace: subscriber.workspaceName, name })}
      </p>,
    )
  })
