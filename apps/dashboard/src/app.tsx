import { useEffect, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import { CleanUpsPage } from './pages/clean-ups.js';
import { InstancePage } from './pages/instance.js';
import { InstancesPage } from './pages/instances.js';
import { OperationPage } from './pages/operation.js';
import { OperationsPage } from './pages/operations.js';
import { OverviewPage } from './pages/overview.js';
import { PackagePage } from './pages/package.js';
import { PackagesPage } from './pages/packages.js';
import { SignIn } from './pages/sign-in.js';
import { SubscriptionsPage } from './pages/subscriptions.js';
import { TrailPage } from './pages/trail.js';
import { VimsPage } from './pages/vims.js';
import { Dialog } from './components/dialog.js';
import { Name } from './components/elements.js';
import { hrefOf, route } from './state/route.js';
import { hasEnded, session, signOut } from './state/session.js';

/** What the navigation leads to; `of` are pages that belong to it. */
const PAGES = [
  { page: '', title: 'Overview' },
  { page: 'instances', title: 'Instances' },
  { page: 'operations', title: 'Operations' },
  { page: 'packages', title: 'Packages' },
  { page: 'vims', title: 'VIMs' },
  { page: 'clean-ups', title: 'Clean-ups' },
  { page: 'subscriptions', title: 'Subscriptions' },
  { page: 'trail', title: 'Audit trail' },
] as const;

/** The dashboard: one asks to be let in, then the page that the address names. */
export function App(): JSX.Element {
  const signedIn = session.value;
  if (signedIn === undefined) return <SignIn />;
  return (
    <>
      <a class="skip" href="#main" onClick={toMain}>
        Skip to the content
      </a>
      <Header />
      <Main />
      {hasEnded.value && (
        <Dialog title="Your session has ended" onClose={() => undefined}>
          <p>The API takes your token no more. Sign in again, and go on where you were.</p>
          <SignIn isAgain />
        </Dialog>
      )}
    </>
  );
}

/** The address is the page's name, so the link moves the focus and leaves it alone. */
function toMain(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

function Header(): JSX.Element {
  const { page } = route.value;
  const who = session.value?.who;
  return (
    <header class="top">
      <span class="brand">Windlass</span>
      <nav aria-label="Pages">
        {PAGES.map(({ page: to, title }) => (
          <a key={to} href={hrefOf(to)} aria-current={page === to ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      <span class="who">
        <Name text={who?.user ?? ''} /> · project <Name text={who?.project ?? ''} /> · {who?.roles.join(', ')}
      </span>
      <button type="button" class="quiet" onClick={signOut}>
        Sign out
      </button>
    </header>
  );
}

/** A new page begins at its heading, also for who hears it. */
function Main(): JSX.Element {
  const { page, id } = route.value;
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${PAGES.find((each) => each.page === page)?.title ?? page} · Windlass`;
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
    scrollTo(0, 0);
  }, [page, id]);
  return (
    <main id="main" ref={main} tabIndex={-1}>
      <Shown page={page} id={id} />
    </main>
  );
}

function Shown({ page, id }: { page: string; id: string }): JSX.Element {
  if (page === 'instances') return id === '' ? <InstancesPage /> : <InstancePage key={id} id={id} />;
  if (page === 'operations') return id === '' ? <OperationsPage /> : <OperationPage key={id} id={id} />;
  if (page === 'packages') return id === '' ? <PackagesPage /> : <PackagePage key={id} id={id} />;
  if (page === 'subscriptions') return <SubscriptionsPage />;
  if (page === 'clean-ups') return <CleanUpsPage />;
  if (page === 'vims') return <VimsPage />;
  if (page === 'trail') return <TrailPage />;
  return <OverviewPage />;
}
