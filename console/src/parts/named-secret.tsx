/** The name of a key or a token, and the end of its secret. */
import style from './named-secret.module.css';

export function NamedSecret({ name, hint }: { name: string; hint: string }) {
  return (
    <>
      <span className={style.name}>{name}</span> <code className={style.hint}>{hint}</code>
    </>
  );
}
