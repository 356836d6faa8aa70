"""What Alembic runs a migration in: the connection and transaction that its caller opened."""

from alembic import context

from engine.store.schema import VERSION_TABLE
from engine.store.tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    version_table=VERSION_TABLE,
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
