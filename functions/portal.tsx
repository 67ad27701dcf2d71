import { listPartnerships } from '../lib/data/portal.ts'
import { partnerLink } from '../lib/domain/slugs.ts'
import { Copyable } from '../lib/pages/parts.tsx'
import { createPages, renderPage, signedIn } from '../lib/pages/render.tsx'

type Partnership = Awaited<ReturnType<typeof listPartnerships>>[number]

const Program = ({ partnership }: { partnership: Partnership }) => {
  const { program, workspace, status, slug, site_url: siteUrl, coupons } = partnership
  return (
    <section class="card">
      <h2>{program}</h2>
      <p class="hint">{workspace}</p>
      {status === 'banned' && (
        <p class="problem">This program has ended its work with you: the link no longer counts.</p>
      )}
      <h3>Your link</h3>
      <Copyable label={`your link for ${program}`} text={partnerLink(siteUrl, slug)} />
      {coupons && (
        <>
          <h3>Your coupon codes</h3>
          <ul>
            {coupons.map((code) => (
              <li>
                <code>{code}</code>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

/** GET /portal: a partner's links and coupon codes, in every program that its e-mail address belongs to. */
export default createPages().get('/portal', signedIn(), async (c) => {
  const partnerships = await listPartnerships(c.var.db, c.var.user.email)
  return renderPage(c, {
    title: 'Partner portal',
    children: (
      <>
        <h1>Your programs</h1>
        {partnerships.map((partnership) => (
          <Program partnership={partnership} />
        ))}
        {partnerships.length === 0 && (
          <p class="empty">
            No program knows {c.var.user.email}. If you joined one with another address, sign out and sign in
            with that.
          </p>
        )}
      </>
    ),
  })
})
