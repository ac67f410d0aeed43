// The Slang compiler's command line over the library of its Python package.
#include <slang.h>
#include <slang-deprecated.h>
#include <cstdio>

int main(int argc, char** argv) {
    SlangSession* session = spCreateSession(nullptr);
    SlangCompileRequest* request = spCreateCompileRequest(session);
    auto print = [](char const* message, void*) { std::fputs(message, stderr); };
    spSetDiagnosticCallback(request, print, nullptr);
    request->setCommandLineCompilerMode();
    bool good = SLANG_SUCCEEDED(spProcessCommandLineArguments(request, argv + 1, argc - 1));
    good = good && SLANG_SUCCEEDED(spCompile(request));
    spDestroyCompileRequest(request);
    spDestroySession(session);
    return good ? 0 : 1;
}
